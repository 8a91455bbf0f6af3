import { Badge } from '@mantine/core'
import { sharesIn } from '../../../../embed/src/results.ts'
import type { OwnedPoll, Tallies } from '../../../../sdk/src/index.ts'
import { language, words } from '../../words/words.ts'

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

/** The gap between the sides would take a hundredth of a narrow bar. */
const SLIVER = 3

/** How the votes are divided: a bar, and its numbers as text. */
export function Split({ tallies, labels: [a, b], isLarge = false }: SplitProps) {
  if (tallies.total === 0) return <span className="split-none">{words().polls.noVotes}</span>
  const { A, B } = sharesIn(language.lang, tallies)
  return (
    <div className={isLarge ? 'split large' : 'split'}>
      <div className="split-words">
        <span className="split-label">
          <bdi>{a}</bdi>
          <b>{A.text}</b>
        </span>
        <span className="split-label end">
          <b>{B.text}</b>
          <bdi>{b}</bdi>
        </span>
      </div>
      <div className="split-bar" aria-hidden="true">
        <div className="split-a" style={{ width: `${A.length}%`, minWidth: A.length && SLIVER }} />
        <div className="split-b" style={{ minWidth: B.length && SLIVER }} />
      </div>
    </div>
  )
}
