import { Group, Paper, Text } from '@mantine/core'
import { useMemo } from 'react'
import { type PollState, Split } from '../../parts/polls/poll-parts.tsx'
import { count, words } from '../../words/words.ts'
import { Timeline } from './timeline.tsx'
import { type PollInView, useLiveTallies } from './use-poll.ts'

/** The part of the page that follows the votes, so that a vote does not render the rest again. */
export function LiveSplit({ poll, state }: { readonly poll: PollInView; readonly state: PollState }) {
  const tallies = useLiveTallies(poll)
  const { poll: its, polls } = words()
  const { label: a } = poll.optionA
  const { label: b } = poll.optionB
  const labels = useMemo(() => [a, b] as const, [a, b])
  return (
    <>
      <Paper withBorder p="lg" component="section" aria-label={polls.split}>
        <Group justify="space-between" align="flex-end" mb="md">
          <div aria-live="off">
            <span className="big-number" data-testid="total">
              {count(tallies.total)}
            </span>{' '}
            <Text component="span" c="dimmed">
              {tallies.total === 1 ? its.voteOne : its.votes}
            </Text>
          </div>
          {state === 'open' && (
            <span className="live">
              <span className="live-dot" /> {its.live}
            </span>
          )}
        </Group>
        <Split tallies={tallies} labels={labels} isLarge />
      </Paper>
      <Timeline poll={poll} labels={labels} total={tallies.total} />
    </>
  )
}
