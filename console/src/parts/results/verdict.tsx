import { ActionIcon, Badge, Group, Popover, Stack, Text } from '@mantine/core'
import type { Insight } from '../../../../embed/src/insight/verdict.ts'
import { resultWords } from '../../words/result-words.ts'
import { filled } from '../../words/words.ts'
import { Icon } from '../icons.tsx'
import { intervalText, verdictText } from './numbers.ts'

interface VerdictProps {
  readonly insight: Insight
  readonly labels: readonly [string, string]
  /** No further votes come. */
  readonly isOver: boolean
  /** The votes are by codes: `insight` is that of `ballotOf`. */
  readonly isBallot?: boolean
}

const COLORS = { no_votes: 'gray', too_close: 'yellow', leading: 'teal' } as const

export const VerdictBadge = ({ insight, labels, isOver, isBallot = false }: VerdictProps) => (
  <Badge color={COLORS[insight.verdict]} variant="light" tt="none" fw={600} size="lg" maw="100%">
    {isBallot && insight.verdict === 'too_close' ? resultWords().verdict.tie : verdictText(insight, labels, isOver)}
  </Badge>
)

/** The interval in words. Beside a verdict that looks again and again, it holds for one look only, and says so. */
export function intervalLine({ verdict, votes, low, high }: Insight, label: string): string | null {
  if (low === null || high === null) return null
  const its = resultWords().verdict
  return filled(verdict === 'too_close' ? its.intervalClose : its.interval, {
    label,
    ...intervalText({ low, high }, votes),
  })
}

/** The meaning of the counts, and the limits of that meaning. */
export function Verdict({ insight, labels, isOver, isBallot = false }: VerdictProps) {
  const its = resultWords().verdict
  if (insight.verdict === 'no_votes') return null
  return (
    <Stack gap={4} mt="md">
      <Group gap="xs" wrap="nowrap">
        <VerdictBadge insight={insight} labels={labels} isOver={isOver} isBallot={isBallot} />
        <AboutCounts />
      </Group>
      {isBallot ? (
        <Text size="sm">{its.counted}</Text>
      ) : (
        <>
          <Text size="sm">{insight.verdict === 'leading' ? its.leadingText : its.closeText}</Text>
          <Text size="sm" c="dimmed">
            {intervalLine(insight, labels[0])}
          </Text>
          <Text size="sm" c="dimmed">
            {its.self}
          </Text>
        </>
      )}
    </Stack>
  )
}

function AboutCounts() {
  const { about } = resultWords()
  return (
    <Popover width={320} position="bottom" withArrow shadow="md">
      <Popover.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={about.open}>
          <Icon name="info" />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <Text size="sm">{about.device}</Text>
        <Text size="sm" mt="xs">
          {about.not}
        </Text>
      </Popover.Dropdown>
    </Popover>
  )
}
