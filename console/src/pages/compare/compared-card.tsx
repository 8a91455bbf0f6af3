import { Paper, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { differenceInterval, type Sides } from '../../../../embed/src/insight/intervals.ts'
import { insightOf } from '../../../../embed/src/insight/verdict.ts'
import { sharesIn } from '../../../../embed/src/results.ts'
import { IntervalBar } from '../../parts/results/interval-bar.tsx'
import { differenceMeaning, differenceText } from '../../parts/results/numbers.ts'
import { intervalLine, VerdictBadge } from '../../parts/results/verdict.tsx'
import { resultWords } from '../../words/result-words.ts'
import { count, filled, language, words } from '../../words/words.ts'

interface CardProps {
  readonly title: ReactNode
  readonly labels: readonly [string, string]
  readonly sides: Sides
  readonly isOver: boolean
  /** The counts that these are compared with. Null for the first. */
  readonly base: Base | null
}

interface Base {
  readonly sides: Sides
  /** The sentence about the difference, and its names. */
  readonly text: string
  readonly names: Readonly<Record<string, string>>
}

/** One column of a comparison. */
export function ComparedCard({ title, labels, sides, isOver, base }: CardProps) {
  const { poll } = words()
  const its = resultWords().compare
  const insight = insightOf(sides)
  const shares = sharesIn(language.lang, sides)
  const difference = base && differenceInterval(sides, base.sides)
  return (
    <Paper withBorder p="md" component="section">
      <Title order={2} size="h6" mb="xs">
        {title}
      </Title>
      <VerdictBadge insight={insight} labels={labels} isOver={isOver} />
      <ul className="plain compared-sides">
        {(['A', 'B'] as const).map((side, index) => (
          <li key={side}>
            <bdi>{labels[index]}</bdi> <b>{insight.votes > 0 && shares[side].text}</b>
            <span className="side-count">
              {count(sides[`option${side}`])} {sides[`option${side}`] === 1 ? poll.voteOne : poll.votes}
            </span>
          </li>
        ))}
      </ul>
      <IntervalBar sides={sides} insight={insight} isSmall />
      <Text size="xs" c="dimmed">
        {intervalLine(insight, labels[0])}
      </Text>
      <Text size="sm" mt="sm">
        {base === null && its.base}
        {difference &&
          `${filled(base.text, { ...base.names, ...differenceText(difference) })} ${differenceMeaning(difference)}`}
        {base && !difference && its.noVotes}
      </Text>
    </Paper>
  )
}
