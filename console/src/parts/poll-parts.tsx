import { Badge } from '@mantine/core'
import type { OwnedPoll, Tallies } from '../../../sdk/src/index.ts'
import { percent, words } from '../words/words.ts'

export type PollState = 'open' | 'closed' | 'scheduled' | 'draft' | 'archived'

export function stateOf({
  archivedAt,
  isDraft,
  status,
}: Pick<OwnedPoll, 'archivedAt' | 'isDraft' | 'status'>): PollState {
  if (archivedAt) return 'archived'
  return isDraft ? 'draft' : status
}

const COLORS = { open: 'teal', closed: 'gray', scheduled: 'violet', draft: 'yellow', archived: 'gray' } as const

export const StateBadge = ({ state }: { readonly state: PollState }) => (
  <Badge color={COLORS[state]} variant="light" tt="none" fw={600}>
    {words().polls[`status_${state}`]}
  </Badge>
)

interface SplitProps {
  readonly tallies: Tallies
  readonly labels: readonly [string, string]
  readonly isLarge?: boolean
}

/** How the votes are divided: a bar, and its numbers as text. */
export function Split({ tallies: { optionA, total }, labels: [a, b], isLarge = false }: SplitProps) {
  if (total === 0) return <span className="split-none">{words().polls.noVotes}</span>
  const share = optionA / total
  return (
    <div className={isLarge ? 'split large' : 'split'}>
      <div className="split-words">
        <span className="split-label">
          <bdi>{a}</bdi>
          <b>{percent(share)}</b>
        </span>
        <span className="split-label end">
          <b>{percent(1 - share)}</b>
          <bdi>{b}</bdi>
        </span>
      </div>
      <div className="split-bar" aria-hidden="true">
        <div className="split-a" style={{ width: `${share * 100}%` }} />
        <div className="split-b" />
      </div>
    </div>
  )
}
