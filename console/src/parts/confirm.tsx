import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { words } from '../words/words.ts'

interface ConfirmProps {
  readonly isOpen: boolean
  /** Default: the action. */
  readonly title?: string
  readonly text: string
  readonly action: string
  readonly isPending: boolean
  /** Must be typed before the button works. */
  readonly typed?: string
  readonly onConfirm: () => void
  readonly onClose: () => void
}

/** Asks before something that cannot be undone. */
export function Confirm({ isOpen, action, title = action, text, isPending, typed, onConfirm, onClose }: ConfirmProps) {
  const [given, setGiven] = useState('')
  const isReady = typed === undefined || given.trim() === typed.trim()
  const { common } = words()
  return (
    <Modal opened={isOpen} onClose={onClose} title={title} centered>
      <Stack>
        <Text size="sm">{text}</Text>
        {typed !== undefined && (
          <TextInput
            label={<bdi>{typed}</bdi>}
            dir="auto"
            value={given}
            onChange={(event) => setGiven(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button color="red" disabled={!isReady} loading={isPending} onClick={onConfirm}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
