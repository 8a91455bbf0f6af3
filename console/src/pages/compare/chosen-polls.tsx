import { Button, Paper, Text } from '@mantine/core'
import { campaignWords } from '../../words/campaign-words.ts'
import { resultWords } from '../../words/result-words.ts'
import { filled, words } from '../../words/words.ts'
import { PollPicker } from '../campaign-edit/poll-picker.tsx'
import { MOST_POLLS } from './comparison.ts'
import { useCompared } from './use-compared.ts'

interface ChosenProps {
  readonly ids: readonly string[]
  /** Only the first counts. */
  readonly isOne: boolean
  readonly onChange: (ids: readonly string[]) => void
}

/** The polls of the comparison, and a search for more. */
export function ChosenPolls({ ids, isOne, onChange }: ChosenProps) {
  const its = resultWords().compare
  const shown = isOne ? ids.slice(0, 1) : ids
  const polls = useCompared(shown)
  const isFull = shown.length >= (isOne ? 1 : MOST_POLLS)
  return (
    <Paper withBorder p="md" component="section" aria-label={its.polls}>
      <ul className="plain">
        {shown.map((id, index) => {
          const title = polls[index]?.data?.title ?? id
          return (
            <li key={id} className="row">
              <Text size="sm" fw={600} className="grow">
                <bdi>{title}</bdi>
              </Text>
              <Button
                variant="subtle"
                size="compact-sm"
                aria-label={filled(campaignWords().remove, { title })}
                onClick={() => onChange(ids.filter((each) => each !== id))}
              >
                {words().common.remove}
              </Button>
            </li>
          )
        })}
      </ul>
      {!isFull && (
        <PollPicker
          chosen={new Set(polls.flatMap(({ data }) => (data ? [data.id] : [])))}
          error={undefined}
          onAdd={({ id }) => onChange([...shown, id])}
        />
      )}
      {isFull && !isOne && (
        <Text size="sm" c="dimmed" mt="sm">
          {its.most}
        </Text>
      )}
    </Paper>
  )
}
