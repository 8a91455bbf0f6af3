import { Button, Group, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { type SyntheticEvent, useState } from 'react'
import { Confirm } from '../../parts/confirm.tsx'
import { utcOf } from '../../parts/local-time.ts'
import { formWords } from '../../words/form-words.ts'
import { listingWords } from '../../words/listing-words.ts'
import { timeZone, words } from '../../words/words.ts'
import type { BulkChange, Failure } from './change-polls.ts'
import { type ListedPoll, tagsOf } from './use-poll-pages.ts'

export type BulkQuestion = 'close' | 'schedule' | 'tag' | 'untag'

interface DialogProps {
  /** Null after a change that failed for some. */
  readonly asked: BulkQuestion | null
  readonly polls: readonly ListedPoll[]
  readonly failed: readonly Failure[]
  readonly failedTitle: string
  readonly onRun: (change: BulkChange) => void
  readonly onClose: () => void
}

/** Asks what a change of many polls needs to know, and says afterwards which did not change and why. */
export function BulkDialog({ asked, polls, failed, failedTitle, onRun, onClose }: DialogProps) {
  const { bulk } = listingWords()
  const { poll, edit } = words()
  if (asked === 'close')
    return (
      <Confirm
        isOpen
        text={bulk.closeText}
        action={poll.closeNow}
        isPending={false}
        onConfirm={() => onRun({ kind: 'closed' })}
        onClose={onClose}
      />
    )
  const title = asked === null ? failedTitle : { schedule: edit.schedule, tag: bulk.tag, untag: bulk.untag }[asked]
  return (
    <Modal opened onClose={onClose} title={title} centered>
      {asked === null && <Failures failed={failed} onClose={onClose} />}
      {asked === 'schedule' && <ScheduleForm onRun={onRun} onClose={onClose} />}
      {(asked === 'tag' || asked === 'untag') && (
        <TagForm isAdded={asked === 'tag'} polls={polls} onRun={onRun} onClose={onClose} />
      )}
    </Modal>
  )
}

function Failures({ failed, onClose }: Pick<DialogProps, 'failed' | 'onClose'>) {
  return (
    <Stack>
      <Text size="sm">{listingWords().bulk.failedText}</Text>
      <ul className="plain">
        {failed.map(({ poll, reason }) => (
          <li key={poll.id} className="row">
            <bdi className="grow">{poll.title}</bdi>
            <Text size="sm" c="dimmed" dir="auto">
              {reason}
            </Text>
          </li>
        ))}
      </ul>
      <Group justify="flex-end">
        <Button onClick={onClose}>{words().common.done}</Button>
      </Group>
    </Stack>
  )
}

type FormProps = Pick<DialogProps, 'onRun' | 'onClose'>

const onSubmit = (run: () => void) => (event: SyntheticEvent) => {
  event.preventDefault()
  run()
}

const Buttons = ({ isReady, onClose }: { readonly isReady: boolean } & Pick<FormProps, 'onClose'>) => (
  <Group justify="flex-end">
    <Button variant="default" onClick={onClose}>
      {words().common.cancel}
    </Button>
    <Button type="submit" disabled={!isReady}>
      {words().common.save}
    </Button>
  </Group>
)

function ScheduleForm({ onRun, onClose }: FormProps) {
  const { edit } = words()
  const its = formWords().poll
  const [opensAt, setOpensAt] = useState('')
  const [closesAt, setClosesAt] = useState('')
  const isBackwards = opensAt !== '' && closesAt !== '' && opensAt >= closesAt
  const run = () => onRun({ kind: 'scheduled', opensAt: utcOf(opensAt), closesAt: utcOf(closesAt) })
  return (
    <form onSubmit={onSubmit(run)}>
      <Stack>
        <Text size="sm">{listingWords().bulk.scheduleText}</Text>
        <TextInput
          type="datetime-local"
          label={`${its.opensAt} (${timeZone()})`}
          value={opensAt}
          error={isBackwards && edit.order}
          onChange={(event) => setOpensAt(event.currentTarget.value)}
        />
        <TextInput
          type="datetime-local"
          label={`${its.closesAt} (${timeZone()})`}
          value={closesAt}
          onChange={(event) => setClosesAt(event.currentTarget.value)}
        />
        <Buttons isReady={!isBackwards && opensAt + closesAt !== ''} onClose={onClose} />
      </Stack>
    </form>
  )
}

interface TagProps extends FormProps {
  readonly isAdded: boolean
  readonly polls: readonly ListedPoll[]
}

const MOST_OF_A_TAG = 40

/** Any tag is added; one that a poll has is removed. */
function TagForm({ isAdded, polls, onRun, onClose }: TagProps) {
  const { filters } = listingWords()
  const known = tagsOf(polls)
  const [text, setText] = useState(isAdded ? '' : (known[0] ?? ''))
  const tag = text.trim().replace(/^#/, '')
  const field = {
    label: filters.tag,
    value: text,
    'data-autofocus': true,
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      setText(currentTarget.value),
  }
  return (
    <form onSubmit={onSubmit(() => onRun({ kind: isAdded ? 'tagged' : 'untagged', tag }))}>
      <Stack>
        {isAdded ? (
          <TextInput {...field} maxLength={MOST_OF_A_TAG} dir="auto" autoComplete="off" />
        ) : (
          <NativeSelect {...field} data={known} disabled={known.length === 0} />
        )}
        <Buttons isReady={tag !== ''} onClose={onClose} />
      </Stack>
    </form>
  )
}
