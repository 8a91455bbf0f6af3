import { Group, TextInput } from '@mantine/core'
import { filled, timeZone, words } from '../words/words.ts'
import { Section } from './section.tsx'

interface Times {
  readonly opensAt: string
  readonly closesAt: string
}

interface ScheduleFieldsProps {
  readonly labels: Times
  readonly draft: Times
  readonly errors: Readonly<Record<string, string | undefined>>
  readonly change: (changed: Partial<Times>) => void
}

/** When a poll or a campaign opens and closes, in the time zone of the browser. */
export function ScheduleFields({ labels, draft, errors, change }: ScheduleFieldsProps) {
  const { edit } = words()
  return (
    <Section title={edit.schedule}>
      <p className="note">{filled(edit.zone, { zone: timeZone() })}</p>
      <Group grow preventGrowOverflow={false} align="flex-start" className="times">
        {(['opensAt', 'closesAt'] as const).map((end) => (
          <TextInput
            key={end}
            type="datetime-local"
            label={labels[end]}
            value={draft[end]}
            error={errors[end]}
            onChange={(event) => change({ [end]: event.currentTarget.value })}
          />
        ))}
      </Group>
    </Section>
  )
}
