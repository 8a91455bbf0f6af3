import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { POLL_LANGUAGES } from '../../parts/polls/poll-languages.ts'
import { addStyles } from '../../parts/polls/sheet.ts'
import styles from '../../styles/wording.css' with { type: 'text' }
import { formWords } from '../../words/form-words.ts'
import { filled, language } from '../../words/words.ts'
import type { ChangedWords } from './changed-words.ts'

addStyles(styles)

/** The remark that polls make, in the words that visitors read. */
function useRemark(): string {
  const { data } = useQuery({
    queryKey: ['poll-words', language.lang],
    queryFn: () => POLL_LANGUAGES[language.lang](),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return data?.edited ?? '…'
}

/** Above the fields of a poll that people have voted on: what a change of its words does. */
export function RevisionNote({ changed }: { readonly changed: readonly ChangedWords[] }) {
  const { wording } = formWords()
  const edited = useRemark()
  return (
    <Alert color="yellow" role="status" data-testid="revision">
      <Text size="sm">{filled(changed.length > 0 ? wording.noted : wording.note, { edited })}</Text>
      {changed.length > 0 && (
        <ul className="earlier-words">
          {changed.map(({ name, before }) => (
            <li key={name}>
              {name}: <bdi>{before}</bdi>
            </li>
          ))}
        </ul>
      )}
    </Alert>
  )
}

interface QuestionProps {
  readonly changed: readonly ChangedWords[]
  readonly isOpen: boolean
  readonly onConfirm: () => void
  readonly onClose: () => void
}

/** Asks before votes stand under other words than those that people voted on. */
export function RevisionQuestion({ changed, isOpen, onConfirm, onClose }: QuestionProps) {
  const { wording } = formWords()
  const edited = useRemark()
  return (
    <Modal opened={isOpen} onClose={onClose} title={wording.title} size="lg" centered>
      <Stack>
        <Text size="sm">{filled(wording.text, { edited })}</Text>
        <dl className="wordings">
          {changed.map(({ name, before, after }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <span>{wording.before}</span>
                <bdi>{before}</bdi>
              </dd>
              <dd className="after">
                <span>{wording.after}</span>
                <bdi>{after}</bdi>
              </dd>
            </div>
          ))}
        </dl>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {wording.back}
          </Button>
          <Button onClick={onConfirm}>{wording.confirm}</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
