import { Group, Text, Title } from '@mantine/core'
import { Link, useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { useBrand } from '../session/brand.ts'
import { words } from '../words/words.ts'
import { guideOf } from './guide.ts'
import { Icon } from './icons.tsx'
import { Failed, Loading, NoPermission } from './states.tsx'

interface PageProps {
  readonly title: string
  readonly text?: string | undefined
  /** Beside the heading, such as a state. */
  readonly badges?: ReactNode
  /** Buttons at the end of the heading. */
  readonly actions?: ReactNode
  /** Before the heading. */
  readonly above?: ReactNode
  readonly children: ReactNode
}

/** One page: its heading, which is the title of the document too, with its guide, and its content. */
export function Page({ title, text, badges, actions, above, children }: PageProps) {
  const guide = guideOf(useLocation().pathname)
  useEffect(() => {
    document.title = `${title} · ${words().product}`
  }, [title])
  return (
    <>
      {above}
      <Group justify="space-between" align="flex-start" mb="lg" gap="sm">
        <div className="page-title">
          <Group gap="xs">
            <Title order={1} size="h2" dir="auto">
              {title}
            </Title>
            {badges}
            {guide && (
              <a className="guide" href={`/docs/${guide}`} target="_blank" rel="noreferrer" hrefLang="en">
                {words().nav.guide}
              </a>
            )}
          </Group>
          {text && (
            <Text c="dimmed" dir="auto">
              {text}
            </Text>
          )}
        </div>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </>
  )
}

/** A page outside of the navigation, such as one that waits to know who is signed in. */
export const Alone = ({ title, children }: Pick<PageProps, 'title' | 'children'>) => (
  <main className="content alone-wide">
    <Page title={title}>{children}</Page>
  </main>
)

export const ForbiddenPage = ({ title }: Pick<PageProps, 'title'>) => (
  <Page title={title}>
    <NoPermission />
  </Page>
)

interface PendingPageProps extends Pick<PageProps, 'title'> {
  readonly query: { readonly error: unknown; readonly refetch: () => Promise<unknown> }
}

/** The page of one item before it is there. */
export const PendingPage = ({ title, query }: PendingPageProps) => (
  <Page title={title}>
    {query.error ? <Failed error={query.error} onRetry={() => void query.refetch()} /> : <Loading />}
  </Page>
)

interface BackToProps {
  readonly list: 'polls' | 'campaigns' | 'codes' | 'webhooks'
  readonly children: ReactNode
}

/** Leads from the page of one item to the list of all. */
export const BackTo = ({ list, children }: BackToProps) => (
  <Link to={`/$brand/${list}`} params={{ brand: useBrand().slug }} className="back">
    <Icon name="back" size={16} /> {children}
  </Link>
)
