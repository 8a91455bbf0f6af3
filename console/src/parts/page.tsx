import { Group, Text, Title } from '@mantine/core'
import { useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { words } from '../words/words.ts'
import { guideOf } from './guide.ts'

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
