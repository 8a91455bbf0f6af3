import { NativeSelect, Stack, Text } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Page } from '../parts/page.tsx'
import { resultWords } from '../words/result-words.ts'
import { ChosenPolls } from './compare/chosen-polls.tsx'
import { ComparedPeriods } from './compare/compared-periods.tsx'
import { ComparedPolls } from './compare/compared-polls.tsx'
import { type Comparison, comparisonIn, type Mode, searchOf } from './compare/comparison.ts'

/** The comparison is in the address, so that it can be sent to a colleague. */
export function ComparePage() {
  const search = useSearch({ strict: false }) as Record<string, unknown>
  const navigate = useNavigate()
  const its = resultWords().compare
  const comparison = comparisonIn(search)
  const { mode, polls } = comparison
  const change = (changed: Partial<Comparison>) =>
    void navigate({ to: '.', search: searchOf({ ...comparison, ...changed }) as never, replace: true })
  const isPeriods = mode === 'periods'
  const [first] = polls
  const chosen = <ChosenPolls ids={polls} isOne={isPeriods} onChange={(ids) => change({ polls: ids })} />
  return (
    <Page title={its.title} text={its.text}>
      <Stack gap="md">
        <NativeSelect
          label={its.mode}
          value={mode}
          onChange={(event) => change({ mode: event.currentTarget.value as Mode })}
          data={[
            { value: 'polls', label: its.polls },
            { value: 'periods', label: its.periods },
          ]}
        />
        {isPeriods && chosen}
        {isPeriods && first && (
          <ComparedPeriods id={first} periods={comparison.periods} onChange={(periods) => change({ periods })} />
        )}
        {!isPeriods && polls.length > 1 && <ComparedPolls ids={polls} />}
        {polls.length < (isPeriods ? 1 : 2) && (
          <Text size="sm" c="dimmed" role="status">
            {isPeriods ? its.chooseOne : its.choose}
          </Text>
        )}
        {/* The search for more polls is long: it stands below the polls that are compared. */}
        {!isPeriods && chosen}
      </Stack>
    </Page>
  )
}
