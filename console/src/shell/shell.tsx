import { AppShell, Burger, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Outlet, useLocation, useNavigate, useParams } from '@tanstack/react-router'
import { Suspense, useEffect, useMemo } from 'react'
import { BrandList } from '../pages/brand-list.tsx'
import { Alone, Page } from '../parts/page.tsx'
import { Empty, Failed, Loading, OfflineNote } from '../parts/states.tsx'
import { tossupOf } from '../service.ts'
import { BrandContext } from '../session/brand.ts'
import { ToSignIn } from '../session/to-sign-in.tsx'
import { useSession } from '../session/use-session.ts'
import { words } from '../words/words.ts'
import { rememberBrand } from './last-brand.ts'
import { Logo } from './logo.tsx'
import { Navigation } from './navigation.tsx'
import { PaletteKeys } from './palette-keys.tsx'

/** A heading while the script of a page loads, which is named by the title of the document until then. */
const LoadingPage = () => (
  <Page title={words().common.loading}>
    <Loading />
  </Page>
)

/** Once: `Navigate` would start again at each render until the script of the page has loaded. */
function ToService() {
  const navigate = useNavigate()
  useEffect(() => void navigate({ to: '/_service', replace: true }), [navigate])
  return (
    <Alone title={words().product}>
      <Loading />
    </Alone>
  )
}

/** Around every page of a brand. */
export function Shell() {
  const { brand: slug = '' } = useParams({ strict: false })
  const { pathname } = useLocation()
  const { data: session, error, refetch } = useSession()
  const [isOpen, { toggle, close }] = useDisclosure()
  const found = session?.brands.find((each) => each.slug === slug)
  const memberId = session?.member.memberId
  const brand = useMemo(
    () => (found && memberId !== undefined ? { ...found, memberId, tossup: tossupOf(found.slug) } : null),
    [found, memberId],
  )
  useEffect(() => {
    if (brand) rememberBrand(brand.slug)
  }, [brand])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes the navigation of a phone
  useEffect(close, [pathname])
  const { nav, product, state } = words()

  // A later answer that fails must not take a form away.
  if (session === undefined)
    return (
      <Alone title={product}>{error ? <Failed error={error} onRetry={() => void refetch()} /> : <Loading />}</Alone>
    )
  if (!session) return <ToSignIn />
  if (slug === 'service' && !found) return <ToService />
  return (
    <AppShell
      header={{ height: { base: 56, sm: 0 } }}
      navbar={{ width: 240, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', sm: 'xl' }}
      layout="alt"
    >
      <a className="skip" href="#content">
        {nav.skip}
      </a>
      <AppShell.Header hiddenFrom="sm">
        <Group h="100%" px="md" justify="space-between">
          <Logo />
          <Burger opened={isOpen} onClick={toggle} size="sm" aria-label={nav.open} aria-expanded={isOpen} />
        </Group>
      </AppShell.Header>
      <BrandContext value={brand}>
        <AppShell.Navbar p="md">
          <Navigation session={session} onClose={close} />
        </AppShell.Navbar>
        <AppShell.Main id="content" tabIndex={-1}>
          <div className="content">
            <OfflineNote />
            {brand ? (
              <Suspense key={brand.slug} fallback={<LoadingPage />}>
                <Outlet />
              </Suspense>
            ) : (
              <Page title={state.notFound}>
                <Empty icon="search" text={state.notFoundText}>
                  <BrandList brands={session.brands} />
                </Empty>
              </Page>
            )}
          </div>
        </AppShell.Main>
        {brand && <PaletteKeys />}
      </BrandContext>
    </AppShell>
  )
}
