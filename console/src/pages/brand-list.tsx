import { NavLink, Paper } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Empty } from '../parts/states.tsx'
import type { OwnSession } from '../session/use-session.ts'
import { words } from '../words/words.ts'

export function BrandList({ brands }: { readonly brands: OwnSession['brands'] }) {
  if (brands.length === 0) return <Empty icon="people" title={words().brands.none} text={words().brands.noneText} />
  return (
    <Paper withBorder>
      {brands.map(({ slug, name, role }) => (
        <NavLink
          key={slug}
          renderRoot={(props) => <Link {...props} to="/$brand" params={{ brand: slug }} />}
          label={<bdi>{name}</bdi>}
          description={words().role[role]}
        />
      ))}
    </Paper>
  )
}
