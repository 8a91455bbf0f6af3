import { Group, Paper, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { sharesIn } from '../../../../embed/src/results.ts'
import type { Funnel } from '../../../../sdk/src/index.ts'
import { IntervalBar } from '../../parts/results/interval-bar.tsx'
import { intervalLine, VerdictBadge } from '../../parts/results/verdict.tsx'
import { useBrand } from '../../session/brand.ts'
import { resultWords } from '../../words/result-words.ts'
import { filled, language } from '../../words/words.ts'
import type { CampaignInView } from './use-campaign.ts'

interface ResultsProps {
  readonly campaign: CampaignInView
  readonly steps: Funnel['steps']
}

/** The result of each poll with its verdict: all its votes, wherever they were cast. */
export function StepResults({ campaign, steps }: ResultsProps) {
  const its = resultWords()
  const shown = steps.flatMap((step) => {
    const poll = campaign.polsts.find(({ slug }) => slug === step.slug)
    return poll ? [{ step, poll }] : []
  })
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="steps">
      <Title order={2} size="h5" id="steps" mb="md">
        {its.steps.title}
      </Title>
      <ol className="plain">
        {shown.map(({ step, poll }) => (
          <li key={step.slug} className="step-result">
            <StepResult step={step} poll={poll} />
          </li>
        ))}
      </ol>
      <Text size="sm" c="dimmed">
        {its.verdict.self}
      </Text>
    </Paper>
  )
}

interface StepProps {
  readonly step: Funnel['steps'][number]
  readonly poll: CampaignInView['polsts'][number]
}

function StepResult({ step: { title, result }, poll: { id, status, optionA, optionB } }: StepProps) {
  const { slug } = useBrand()
  const its = resultWords().steps
  const labels = [optionA.label, optionB.label] as const
  const shares = sharesIn(language.lang, result)
  return (
    <>
      <Group justify="space-between" gap="xs">
        <Link to="/$brand/polls/$poll" params={{ brand: slug, poll: id }} dir="auto" className="step-title">
          {title}
        </Link>
        <VerdictBadge insight={result} labels={labels} isOver={status === 'closed'} />
      </Group>
      {result.votes > 0 && (
        <>
          <IntervalBar sides={result} insight={result} isSmall />
          <div className="split-words">
            {(['A', 'B'] as const).map((side, index) => (
              <span key={side}>
                <bdi>{labels[index]}</bdi> <b>{shares[side].text}</b>{' '}
                <span className="side-count">
                  {result[`option${side}`] === 1 ? its.voteOne : filled(its.votes, { count: result[`option${side}`] })}
                </span>
              </span>
            ))}
          </div>
          <Text size="xs" c="dimmed">
            {intervalLine(result, labels[0])}
          </Text>
        </>
      )}
    </>
  )
}
