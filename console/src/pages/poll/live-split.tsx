import { Group, Paper, Text } from '@mantine/core'
import { useMemo } from 'react'
import { ballotOf, insightOf } from '../../../../embed/src/insight/verdict.ts'
import { sharesIn } from '../../../../embed/src/results.ts'
import type { Tallies } from '../../../../sdk/src/index.ts'
import type { PollState } from '../../parts/polls/poll-parts.tsx'
import { IntervalBar } from '../../parts/results/interval-bar.tsx'
import { PictureButtons } from '../../parts/results/picture-buttons.tsx'
import { Verdict } from '../../parts/results/verdict.tsx'
import { count, language, words } from '../../words/words.ts'
import { Timeline } from './timeline/timeline.tsx'
import { type PollInView, useLiveTallies } from './use-poll.ts'

/** The part of the page that follows the votes, so that a vote does not render the rest again. */
export function LiveSplit({ poll, state }: { readonly poll: PollInView; readonly state: PollState }) {
  const tallies = useLiveTallies(poll)
  const { poll: its, polls } = words()
  const { label: a } = poll.optionA
  const { label: b } = poll.optionB
  const labels = useMemo(() => [a, b] as const, [a, b])
  const isBallot = poll.admission === 'code'
  const insight = (isBallot ? ballotOf : insightOf)(tallies)
  const isOver = state === 'closed' || state === 'archived'
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
        <Sides poll={poll} tallies={tallies} />
        <IntervalBar sides={tallies} insight={insight} />
        <Verdict insight={insight} labels={labels} isOver={isOver} isBallot={isBallot} />
        {tallies.total > 0 && <PictureButtons slug={poll.slug} />}
      </Paper>
      <Timeline poll={poll} labels={labels} tallies={tallies} />
    </>
  )
}

/** Both answers with their pictures, shares and counts. */
function Sides({ poll, tallies }: { readonly poll: PollInView; readonly tallies: Tallies }) {
  const { poll: its } = words()
  const shares = sharesIn(language.lang, tallies)
  return (
    <div className="sides">
      {(['A', 'B'] as const).map((side) => {
        const { label, imageUrl, imageAlt, focusX, focusY, fit } = poll[`option${side}`]
        const votes = tallies[`option${side}`]
        return (
          <div key={side} className="side">
            {imageUrl && (
              <img
                src={imageUrl}
                alt={imageAlt ?? ''}
                style={{ objectFit: fit, objectPosition: `${100 * focusX}% ${100 * focusY}%` }}
              />
            )}
            <span className="side-words">
              <bdi>{label}</bdi>
              {tallies.total > 0 && <b className="side-share">{shares[side].text}</b>}
              <span className="side-count">
                {count(votes)} {votes === 1 ? its.voteOne : its.votes}
              </span>
            </span>
          </div>
        )
      })}
    </div>
  )
}
