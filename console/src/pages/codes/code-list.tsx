import { Anchor, Badge, Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import type { CodeList } from '../../../../sdk/src/index.ts'
import { BackTo, ForbiddenPage, Page, PendingPage } from '../../parts/page.tsx'
import { addStyles } from '../../parts/polls/sheet.ts'
import { Section } from '../../parts/section.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { useBrand } from '../../session/brand.ts'
import styles from '../../styles/codes.css' with { type: 'text' }
import { codesWords } from '../../words/codes-words.ts'
import { count, filled } from '../../words/words.ts'
import { CodeListActions } from './code-list-actions.tsx'
import { IssueCodes } from './issue-codes.tsx'
import { RevokeCodes } from './revoke-codes.tsx'
import { type CodePlace, useCodeList, useCodePlaces } from './use-code-lists.ts'

addStyles(styles)

export function CodeListPage() {
  const { mayEdit } = useBrand()
  const { list: id = '' } = useParams({ strict: false })
  const list = useCodeList(id)
  if (list.data) return <OneList key={list.data.codeListId} list={list.data} />
  if (!mayEdit) return <ForbiddenPage title={codesWords().title} />
  return <PendingPage title={codesWords().title} query={list} />
}

function OneList({ list }: { readonly list: CodeList }) {
  const its = codesWords()
  return (
    <Page title={list.name} above={<BackTo list="codes">{its.title}</BackTo>} actions={<CodeListActions list={list} />}>
      <Stack gap="md">
        <Counts list={list} />
        <IssueCodes list={list} />
        <Places list={list} />
        {list.issued > 0 && <RevokeCodes list={list} />}
      </Stack>
    </Page>
  )
}

function Counts({ list }: { readonly list: CodeList }) {
  const its = codesWords()
  return (
    <section>
      <SimpleGrid cols={3} spacing="sm">
        {(['issued', 'used', 'revoked'] as const).map((name) => (
          <Paper key={name} withBorder p="md" className="code-count">
            <Text size="sm" c="dimmed">
              {its[name]}
            </Text>
            <div className="big-number" data-testid={name}>
              {count(list[name])}
            </div>
          </Paper>
        ))}
      </SimpleGrid>
      <Text size="xs" c="dimmed" mt={6}>
        {its.usedText}
      </Text>
    </section>
  )
}

/** Where the codes of a list vote. */
function Places({ list }: { readonly list: CodeList }) {
  const its = codesWords()
  const places = useCodePlaces(list)
  return (
    <Section title={its.pollsTitle}>
      {list.polls === 0 && <p className="note">{its.pollsNone}</p>}
      {places.isLoading && <Loading rows={2} />}
      {places.error && <Failed error={places.error} onRetry={() => void places.refetch()} />}
      {places.data && places.data.length > 0 && (
        <ul className="plain">
          {places.data.map((place) => (
            <PlaceRow key={place.id} place={place} />
          ))}
        </ul>
      )}
    </Section>
  )
}

function PlaceRow({ place: { kind, id, title, votes } }: { readonly place: CodePlace }) {
  const { slug } = useBrand()
  const its = codesWords()
  return (
    <li className="row">
      <Anchor
        className="grow"
        c="var(--mantine-color-text)"
        style={{ overflowWrap: 'anywhere' }}
        renderRoot={(props) =>
          kind === 'poll' ? (
            <Link {...props} to="/$brand/polls/$poll" params={{ brand: slug, poll: id }} />
          ) : (
            <Link {...props} to="/$brand/campaigns/$campaign" params={{ brand: slug, campaign: id }} />
          )
        }
      >
        <bdi>{title}</bdi>
      </Anchor>
      {kind === 'campaign' ? (
        <Badge variant="light" color="gray" tt="none">
          {its.campaign}
        </Badge>
      ) : (
        <Text size="sm" c="dimmed">
          {votes === 1 ? its.pollVoteOne : filled(its.pollVotes, { count: votes })}
        </Text>
      )}
    </li>
  )
}
