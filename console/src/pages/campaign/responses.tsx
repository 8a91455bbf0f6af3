import { Badge, Group, Paper, Text, Title } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { Respondent } from '../../../../sdk/src/index.ts'
import { EndlessRows } from '../../parts/endless-rows.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { useBrand } from '../../session/brand.ts'
import { campaignWords } from '../../words/campaign-words.ts'
import { filled, fromNow, moment } from '../../words/words.ts'
import { type CampaignInView, campaignKey } from './use-campaign.ts'

const PAGE = 50
const ASK_EVERY_MS = 10_000
/** Told apart at a glance; the whole id is in its title. */
const SHOWN_OF_ID = 8

export function Responses({ campaign }: { readonly campaign: CampaignInView }) {
  const { slug, tossup } = useBrand()
  const its = campaignWords()
  const { campaignId } = campaign
  const pages = useInfiniteQuery({
    queryKey: [...campaignKey(slug, campaignId), 'responses'],
    queryFn: ({ pageParam: cursor, signal }) =>
      tossup.listResponses(campaignId, { cursor, limit: PAGE }, { signal }).page(),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    // Reading on, or again all that was read: the second costs more with each page.
    refetchInterval: ({ state: { data } }) => ((data?.pages.length ?? 0) > 1 ? false : ASK_EVERY_MS),
  })
  const items = pages.data?.pages.flatMap(({ data }) => data.map((each) => ({ ...each, id: each.respondentId }))) ?? []
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="responses">
      <Title order={2} size="h5" id="responses">
        {its.responses}
      </Title>
      <Text size="xs" c="dimmed" mb="sm">
        {its.responsesText}
      </Text>
      {pages.isPending && <Loading rows={3} />}
      {pages.error && <Failed error={pages.error} onRetry={() => void pages.refetch()} />}
      {pages.data && items.length === 0 && (
        <Text size="sm" c="dimmed">
          {its.noResponses}
        </Text>
      )}
      {items.length > 0 && (
        <EndlessRows
          label={its.responses}
          items={items}
          rowHeight={47}
          hasMore={pages.hasNextPage}
          isLoading={pages.isFetchingNextPage}
          loadMore={() => void pages.fetchNextPage()}
        >
          {(respondent) => <Response respondent={respondent} polls={campaign.polsts.length} />}
        </EndlessRows>
      )}
    </Paper>
  )
}

interface ResponseProps {
  readonly respondent: Respondent
  readonly polls: number
}

const COLORS = { A: 'indigo', B: 'yellow' } as const

function Response({ respondent: { respondentId, startedAt, votes }, polls }: ResponseProps) {
  const its = campaignWords()
  const byPlace = new Map(votes.map((vote) => [vote.position, vote]))
  const places = Array.from({ length: Math.max(polls, ...byPlace.keys()) }, (_, index) => index + 1)
  return (
    <div className="activity-line">
      <span title={respondentId} style={{ minWidth: '8.5rem' }}>
        {filled(its.respondent, { id: respondentId.slice(0, SHOWN_OF_ID) })}
      </span>
      <Group gap={4} className="grow" role="group" aria-label={its.answers}>
        {places.map((place) => {
          const vote = byPlace.get(place)
          const text = vote ? filled(its.answer, { place, option: vote.option }) : filled(its.noAnswer, { place })
          return (
            <Badge
              key={place}
              size="sm"
              variant={vote ? 'light' : 'outline'}
              color={vote ? COLORS[vote.option] : 'gray'}
              title={text}
            >
              <span aria-hidden="true">{vote?.option ?? '–'}</span>
              <span className="out-of-sight">{text}</span>
            </Badge>
          )
        })}
      </Group>
      <time dateTime={startedAt} title={moment(startedAt)}>
        {fromNow(startedAt)}
      </time>
    </div>
  )
}
