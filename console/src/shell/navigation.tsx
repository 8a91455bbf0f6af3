import { ActionIcon, Burger, Button, Group, Kbd, NavLink, Text, useMantineColorScheme } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Suspense, useContext } from 'react'
import { Icon } from '../parts/icons.tsx'
import { lazyPart } from '../parts/lazy-part.ts'
import { BrandContext } from '../session/brand.ts'
import type { OwnSession } from '../session/use-session.ts'
import { words } from '../words/words.ts'
import { modKey } from './key-names.ts'
import { Logo } from './logo.tsx'
import { openPalette } from './open-palette.ts'
import { PLACES } from './places.ts'

export function Navigation({ session, onClose }: { readonly session: OwnSession; readonly onClose: () => void }) {
  const brand = useContext(BrandContext)
  const { nav, role } = words()
  return (
    <div className="navigation">
      <Group justify="space-between" mb="md">
        <Logo />
        <Burger hiddenFrom="sm" opened onClick={onClose} size="sm" aria-label={nav.open} />
      </Group>
      <BrandSwitch session={session} />
      <Button
        variant="default"
        fullWidth
        justify="space-between"
        my="md"
        fw={400}
        leftSection={<Icon name="search" size={16} />}
        rightSection={
          <Kbd size="xs" visibleFrom="sm" style={{ whiteSpace: 'nowrap' }}>
            {modKey()} K
          </Kbd>
        }
        onClick={openPalette}
      >
        {nav.find}
      </Button>
      <nav aria-label={nav.label} className="places">
        {brand &&
          PLACES.filter(({ isFor }) => isFor(brand.role)).map(({ name, to }) => (
            <NavLink
              key={name}
              renderRoot={(props) => (
                <Link
                  {...props}
                  to={to}
                  params={{ brand: brand.slug }}
                  activeOptions={{ exact: to === '/$brand' }}
                  activeProps={{ 'data-active': true, 'aria-current': 'page' }}
                />
              )}
              label={nav[name]}
              leftSection={<Icon name={name} />}
            />
          ))}
        {session.operator && (
          <NavLink
            renderRoot={(props) => <Link {...props} to="/_service" />}
            label={nav.service}
            leftSection={<Icon name="service" />}
          />
        )}
      </nav>
      <Account session={session} text={brand ? role[brand.role] : ''} />
    </div>
  )
}

/** Inputs are a large part of the library, and most people work for one brand. */
const BrandSelect = lazyPart(async () => (await import('./brand-select.tsx')).BrandSelect)

function BrandSwitch({ session: { brands } }: { readonly session: OwnSession }) {
  const brand = useContext(BrandContext)
  if (brands.length < 2)
    return (
      <Text fw={600} truncate dir="auto">
        {brand?.name}
      </Text>
    )
  return (
    <Suspense>
      <BrandSelect brands={brands} />
    </Suspense>
  )
}

function Account({ session: { member }, text }: { readonly session: OwnSession; readonly text: string }) {
  const { nav } = words()
  const { toggleColorScheme } = useMantineColorScheme()
  return (
    <Group wrap="nowrap" gap="xs" className="account">
      <Link to="/me" className="account-link" title={nav.profile}>
        <Icon name="user" size={22} />
        <span className="account-words">
          <Text component="span" size="sm" fw={600} lineClamp={2} dir="auto">
            {member.name ?? member.email}
          </Text>
          <Text component="span" size="xs" c="dimmed">
            {text}
          </Text>
        </span>
      </Link>
      <ActionIcon variant="subtle" color="gray" aria-label={nav.theme} onClick={() => toggleColorScheme()}>
        <Icon name="sun" />
      </ActionIcon>
    </Group>
  )
}
