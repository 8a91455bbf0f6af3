import { Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ActivityEntry } from '../../../../sdk/src/index.ts'
import { Failed } from '../../parts/states.tsx'
import { useBrand } from '../../session/brand.ts'
import { filled, fromNow, moment, words } from '../../words/words.ts'

function actorOf({ actor: { kind, name, id } }: ActivityEntry): string {
  const { activity } = words()
  if (kind === 'operator') return activity.operator
  return name ?? (kind === 'app' ? activity.app : id)
}

/** A title is quoted. An address is not: it stands where the name of an actor does. */
const subjectOf = ({ action, subject: { title } }: ActivityEntry): string =>
  /^(member|invitation)/.test(action) ? title : `“${title}”`

export function ActivityLine({ entry }: { readonly entry: ActivityEntry }) {
  const text = filled(words().activity[entry.action], { actor: actorOf(entry), subject: subjectOf(entry) })
  return (
    <div className="activity-line">
      <bdi>{text}</bdi>
      <time dateTime={entry.at} title={moment(entry.at)}>
        {fromNow(entry.at)}
      </time>
    </div>
  )
}

/** The latest changes, of the whole brand or of one subject. */
export function ActivityList({ subject, limit }: { readonly subject?: string; readonly limit: number }) {
  const { slug, tossup } = useBrand()
  const { poll } = words()
  const entries = useQuery({
    queryKey: ['brand', slug, 'activity', 'latest', subject, limit],
    queryFn: ({ signal }) => tossup.listActivity({ subject, limit }, { signal }).page(),
  })
  if (entries.isPending) return <Skeleton height={120} />
  if (entries.error) return <Failed error={entries.error} onRetry={() => void entries.refetch()} />
  if (entries.data.data.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {poll.noChanges}
      </Text>
    )
  return (
    <ul className="plain">
      {entries.data.data.map((entry) => (
        <li key={entry.id}>
          <ActivityLine entry={entry} />
        </li>
      ))}
    </ul>
  )
}
