import { Checkbox, Group, Paper, Radio, Stack, Switch, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Uploads } from '../../parts/pictures/picked-picture.ts'
import { Section } from '../../parts/section.tsx'
import { useBrand } from '../../session/brand.ts'
import { filled, timeZone, words } from '../../words/words.ts'
import { PictureField } from './picture-field.tsx'
import type { FieldErrors, OptionDraft, PollDraft } from './poll-draft.ts'
import type { Slot } from './save-poll.ts'

export interface FieldsProps {
  readonly draft: PollDraft
  readonly errors: FieldErrors
  readonly uploads: Uploads<Slot>
  readonly isNew: boolean
  readonly change: (changed: Partial<PollDraft>) => void
}

export function PollFields(props: FieldsProps) {
  const { draft, errors, isNew, change } = props
  const { edit } = words()
  return (
    <Stack gap="md">
      <Paper withBorder p="md">
        <TextInput
          label={edit.question}
          placeholder={edit.questionPlaceholder}
          size="md"
          required
          maxLength={200}
          dir="auto"
          value={draft.title}
          error={errors['title']}
          onChange={(event) => change({ title: event.currentTarget.value })}
        />
      </Paper>
      <div className="two-columns">
        <OptionFields {...props} name="optionA" title={edit.optionA} />
        <OptionFields {...props} name="optionB" title={edit.optionB} />
      </div>
      <ResultsField {...props} />
      <ScheduleFields {...props} />
      <Section title={edit.visibility}>
        <Switch
          label={edit.private}
          description={edit.privateText}
          checked={draft.isPrivate}
          onChange={(event) => change({ isPrivate: event.currentTarget.checked })}
        />
        {isNew && (
          <TextInput
            label={edit.slug}
            description={edit.slugText}
            value={draft.slug}
            error={errors['slug']}
            maxLength={128}
            dir="ltr"
            onChange={(event) => change({ slug: event.currentTarget.value })}
          />
        )}
        <TextInput
          label={edit.tags}
          description={edit.tagsText}
          dir="auto"
          value={draft.tags}
          error={errors['tags'] ?? firstUnder(errors, 'tags')}
          onChange={(event) => change({ tags: event.currentTarget.value })}
        />
        <Categories {...props} />
      </Section>
    </Stack>
  )
}

/** The problem of an item is shown at its list. */
const firstUnder = (errors: FieldErrors, path: string): string | undefined =>
  Object.entries(errors).find(([each]) => each.startsWith(`${path}.`) || each.startsWith(`${path}[`))?.[1]

interface OptionProps extends FieldsProps {
  readonly name: Slot
  readonly title: string
}

function OptionFields({ draft, errors, uploads, change, name, title }: OptionProps) {
  const { edit } = words()
  const option = draft[name]
  const changeOption = (changed: Partial<OptionDraft>) => change({ [name]: { ...option, ...changed } })
  return (
    <Section title={title}>
      <TextInput
        label={edit.label}
        required
        maxLength={80}
        dir="auto"
        value={option.label}
        error={errors[`${name}.label`]}
        aria-label={`${title}: ${edit.label}`}
        onChange={(event) => changeOption({ label: event.currentTarget.value })}
      />
      <PictureField
        label={`${title}: ${edit.picture}`}
        option={option}
        error={errors[`${name}.imageUrl`]}
        sent={uploads[name]}
        onChange={changeOption}
      />
    </Section>
  )
}

const POLICIES = ['always', 'after_vote', 'after_close', 'never'] as const

function ResultsField({ draft, change }: FieldsProps) {
  const { edit } = words()
  return (
    <Section title={edit.results}>
      <Radio.Group
        aria-label={edit.results}
        value={draft.resultsVisibility}
        onChange={(value) => change({ resultsVisibility: value as PollDraft['resultsVisibility'] })}
      >
        <Stack gap="xs">
          {POLICIES.map((policy) => (
            <Radio
              key={policy}
              value={policy}
              label={edit[`results_${policy}`]}
              description={edit[`results_${policy}_text`]}
            />
          ))}
        </Stack>
      </Radio.Group>
    </Section>
  )
}

function ScheduleFields({ draft, errors, change }: FieldsProps) {
  const { edit } = words()
  const description = filled(edit.zone, { zone: timeZone() })
  return (
    <Section title={edit.schedule}>
      <p className="note">{description}</p>
      <Group grow preventGrowOverflow={false} align="flex-start" className="times">
        <TextInput
          type="datetime-local"
          label={edit.opensAt}
          value={draft.opensAt}
          error={errors['opensAt']}
          onChange={(event) => change({ opensAt: event.currentTarget.value })}
        />
        <TextInput
          type="datetime-local"
          label={edit.closesAt}
          value={draft.closesAt}
          error={errors['closesAt']}
          onChange={(event) => change({ closesAt: event.currentTarget.value })}
        />
      </Group>
    </Section>
  )
}

function Categories({ draft, errors, change }: FieldsProps) {
  const { tossup } = useBrand()
  const { edit } = words()
  const { data = [] } = useQuery({
    queryKey: ['categories'],
    queryFn: ({ signal }) => tossup.listCategories({ signal }),
  })
  if (data.length === 0) return null
  return (
    <Checkbox.Group
      label={edit.categories}
      value={[...draft.categoryIds]}
      error={errors['categoryIds'] ?? firstUnder(errors, 'categoryIds')}
      onChange={(categoryIds) => change({ categoryIds })}
    >
      <Group mt={6} gap="md">
        {data.map(({ id, name }) => (
          <Checkbox key={id} value={id} label={name} />
        ))}
      </Group>
    </Checkbox.Group>
  )
}
