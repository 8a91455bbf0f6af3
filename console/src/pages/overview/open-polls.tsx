import { Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Split } from '../../parts/polls/poll-parts.tsx'
import { Failed } from '../../parts/states.tsx'
import { useBrand } from '../../session/brand.ts'
import { count, filled, fromNow, words } from '../../words/words.ts'
import type { ListedPoll } from '../polls/use-poll-pages.ts'

const SHOWN = 5
/** Five streams would take as many connections as a browser has: one list is read again instead. */
const ASK_EVERY_MS = 3_000

export function OpenPolls() {
  const { slug, tossup, mayEdit } = useBrand()
  const polls = useQuery({
    queryKey: ['brand', slug, 'open'],
    queryFn: async ({ signal }): Promise<readonly ListedPoll[]> => {
      const query = { status: 'open', order: 'popular', limit: SHOWN } as const
      const list = mayEdit
        ? tossup.listOwnPolls({ ...query, isDraft: false, archived: false }, { signal })
        : tossup.listPublicPolls(slug, query, { signal })
      return (await list.page()).data
    },
    refetchInterval: ASK_EVERY_MS,
  })
  if (polls.isPending) return <Skeleton height={160} />
  if (polls.error) return <Failed error={polls.error} onRetry={() => void polls.refetch()} />
  if (polls.data.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {words().overview.noOpen}
      </Text>
    )
  return (
    <ul className="plain open-polls">
      {polls.data.map((poll) => (
        <li key={poll.id}>
          <Link to="/$brand/polls/$poll" params={{ brand: slug, poll: poll.shortId ?? poll.id }} className="open-poll">
            <span className="open-poll-title">
              <bdi>{poll.title}</bdi> <span>{count(poll.tallies.total)}</span>
            </span>
            <Split tallies={poll.tallies} labels={[poll.optionA.label, poll.optionB.label]} />
          </Link>
        </li>
      ))}
    </ul>
  )
}

/** Polls that open or close next. */
export function ComingUp() {
  const { slug, tossup } = useBrand()
  const { overview } = words()
  const soon = useQuery({
    queryKey: ['brand', slug, 'soon'],
    async queryFn({ signal }) {
      const asked = { isDraft: false, archived: false, limit: SHOWN } as const
      const [scheduled, open] = await Promise.all([
        tossup.listOwnPolls({ ...asked, status: 'scheduled' }, { signal }).page(),
        tossup.listOwnPolls({ ...asked, status: 'open', order: 'closing' }, { signal }).page(),
      ])
      const opening = scheduled.data.map((poll) => ({ poll, at: poll.opensAt, words: overview.opens }))
      const closing = open.data.map((poll) => ({ poll, at: poll.closesAt, words: overview.closes }))
      const all = [...opening, ...closing].flatMap(({ at, ...rest }) => (at === null ? [] : [{ ...rest, at }]))
      return all.sort((one, other) => Date.parse(one.at) - Date.parse(other.at)).slice(0, SHOWN)
    },
    refetchInterval: 60_000,
  })
  if (soon.isPending) return <Skeleton height={60} />
  if (soon.error) return <Failed error={soon.error} onRetry={() => void soon.refetch()} />
  if (soon.data.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {overview.noSoon}
      </Text>
    )
  return (
    <ul className="plain">
      {soon.data.map(({ poll, at, words: text }) => (
        <li key={poll.id} className="activity-line">
          <Link to="/$brand/polls/$poll" params={{ brand: slug, poll: poll.shortId }}>
            <bdi>{poll.title}</bdi>
          </Link>
          <time dateTime={at}>{filled(text, { when: fromNow(at) })}</time>
        </li>
      ))}
    </ul>
  )
}
