import { Checkbox, Group, Paper, Radio, Stack, Switch, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FieldErrors, firstUnder } from '../../parts/messages/messages.ts'
import type { Uploads } from '../../parts/pictures/picked-picture.ts'
import { ScheduleFields } from '../../parts/schedule-fields.tsx'
import { Section } from '../../parts/section.tsx'
import { useBrand } from '../../session/brand.ts'
import { codesWords } from '../../words/codes-words.ts'
import { formWords } from '../../words/form-words.ts'
import { words } from '../../words/words.ts'
import { WhoCanVote } from '../codes/who-can-vote.tsx'
import { PictureField } from './picture-field.tsx'
import { mayShowBefore, type OptionDraft, type PollDraft } from './poll-draft.ts'
import type { Slot } from './save-poll.ts'

export interface FieldsProps {
  readonly draft: PollDraft
  readonly errors: FieldErrors
  readonly uploads: Uploads<Slot>
  readonly isNew: boolean
  readonly hasVotes: boolean
  readonly change: (changed: Partial<PollDraft>) => void
}

export function PollFields(props: FieldsProps) {
  const { draft, errors, isNew, change } = props
  const { edit } = words()
  const its = formWords().poll
  return (
    <Stack gap="md">
      <Paper withBorder p="md">
        <TextInput
          label={its.question}
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
        <OptionFields {...props} name="optionA" title={its.optionA} />
        <OptionFields {...props} name="optionB" title={its.optionB} />
      </div>
      <OrderField {...props} />
      <WhoField {...props} />
      <ResultsField {...props} />
      <ScheduleFields labels={formWords().poll} {...props} />
      <Section title={its.visibility}>
        <Switch
          label={its.private}
          description={its.privateText}
          checked={draft.isPrivate}
          onChange={(event) => change({ isPrivate: event.currentTarget.checked })}
        />
        {isNew && (
          <TextInput
            label={its.slug}
            description={its.slugText}
            value={draft.slug}
            error={errors['slug']}
            maxLength={128}
            dir="ltr"
            onChange={(event) => change({ slug: event.currentTarget.value })}
          />
        )}
        <TextInput
          label={edit.tags}
          description={its.tagsText}
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

interface OptionProps extends FieldsProps {
  readonly name: Slot
  readonly title: string
}

function OptionFields({ draft, errors, uploads, change, name, title }: OptionProps) {
  const its = formWords().poll
  const option = draft[name]
  const changeOption = (changed: Partial<OptionDraft>) => change({ [name]: { ...option, ...changed } })
  return (
    <Section title={title}>
      <TextInput
        label={its.label}
        required
        maxLength={80}
        dir="auto"
        value={option.label}
        error={errors[`${name}.label`]}
        aria-label={`${title}: ${its.label}`}
        onChange={(event) => changeOption({ label: event.currentTarget.value })}
      />
      <PictureField
        label={`${title}: ${its.picture}`}
        draft={draft}
        slot={name}
        error={errors[`${name}.imageUrl`]}
        sent={uploads[name]}
        onChange={changeOption}
      />
    </Section>
  )
}

function OrderField({ draft, change }: FieldsProps) {
  const { order } = formWords()
  return (
    <Paper withBorder p="md">
      <Switch
        label={order.random}
        description={order.randomText}
        checked={draft.optionOrder === 'random'}
        onChange={(event) => change({ optionOrder: event.currentTarget.checked ? 'random' : 'fixed' })}
      />
    </Paper>
  )
}

function WhoField({ draft, errors, hasVotes, change }: FieldsProps) {
  return (
    <WhoCanVote
      codeListId={draft.codeListId}
      error={errors['codeListId']}
      refusal={hasVotes ? codesWords().fixed : null}
      onChange={(codeListId) => change({ codeListId })}
    />
  )
}

const POLICIES = ['always', 'after_vote', 'after_close', 'never'] as const

function ResultsField({ draft, change }: FieldsProps) {
  const { edit } = words()
  const { poll: its, results } = formWords()
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
              description={its[`results_${policy}_text`]}
            />
          ))}
        </Stack>
      </Radio.Group>
      {mayShowBefore(draft) && (
        <Switch
          label={results.before}
          description={results.beforeText}
          checked={draft.resultsBeforeVote}
          onChange={(event) => change({ resultsBeforeVote: event.currentTarget.checked })}
        />
      )}
    </Section>
  )
}

function Categories({ draft, errors, change }: FieldsProps) {
  const { tossup } = useBrand()
  const its = formWords().poll
  const { data = [] } = useQuery({
    queryKey: ['categories'],
    queryFn: ({ signal }) => tossup.listCategories({ signal }),
  })
  if (data.length === 0) return null
  return (
    <Checkbox.Group
      label={its.categories}
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
