import { NativeSelect } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useContext } from 'react'
import { BrandContext } from '../session/brand.ts'
import type { OwnSession } from '../session/use-session.ts'
import { words } from '../words/words.ts'

/** Leads from one brand to another. */
export function BrandSelect({ brands }: Pick<OwnSession, 'brands'>) {
  const brand = useContext(BrandContext)
  const navigate = useNavigate()
  return (
    <NativeSelect
      aria-label={words().nav.brand}
      value={brand?.slug ?? ''}
      onChange={(event) => void navigate({ to: '/$brand', params: { brand: event.currentTarget.value } })}
      data={brands.map(({ slug, name }) => ({ value: slug, label: name }))}
    />
  )
}
