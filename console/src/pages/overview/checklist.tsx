import { Button, Paper, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Icon } from '../../parts/icons.tsx'
import { useBrand } from '../../session/brand.ts'
import { words } from '../../words/words.ts'

/** For a brand without votes: the way to the first one. */
export function Checklist({ isMade, isPublished }: { readonly isMade: boolean; readonly isPublished: boolean }) {
  const { slug } = useBrand()
  const { overview, common, nav } = words()
  const steps = [
    [overview.stepPoll, isMade],
    [overview.stepPublish, isPublished],
    [overview.stepVote, false],
  ] as const
  return (
    <Paper withBorder p="lg" component="section" className="checklist">
      <Title order={2} size="h4">
        {overview.checklist}
      </Title>
      <Text c="dimmed">{overview.checklistText}</Text>
      <ol className="plain steps">
        {steps.map(([step, isDone], index) => (
          <li key={step} className={isDone ? 'done' : undefined}>
            <span className="step-mark">{isDone ? <Icon name="check" size={16} /> : index + 1}</span>
            {step}
            {isDone && <span className="out-of-sight">({common.done})</span>}
          </li>
        ))}
      </ol>
      <Button
        renderRoot={(props) => (
          <Link {...props} to={isMade ? '/$brand/polls' : '/$brand/polls/new'} params={{ brand: slug }} />
        )}
      >
        {isMade ? nav.polls : overview.start}
      </Button>
    </Paper>
  )
}
