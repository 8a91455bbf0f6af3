import { Button, Group, Modal, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { words } from '../words/words.ts'

interface GuardProps {
  readonly isChanged: () => boolean
  /** Replaces the words about a form. */
  readonly title?: string
  readonly text?: string
}

/** Asks before a page with unsaved changes is left, by a link or by closing the tab. */
export function UnsavedGuard({ isChanged, title, text }: GuardProps) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: isChanged,
    enableBeforeUnload: isChanged,
    withResolver: true,
  })
  const { state } = words()
  return (
    <Modal
      opened={status === 'blocked'}
      onClose={() => reset?.()}
      title={title ?? state.unsaved}
      centered
      withCloseButton={false}
    >
      <Text size="sm">{text ?? state.unsavedText}</Text>
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={() => reset?.()}>
          {state.stay}
        </Button>
        <Button color="red" onClick={() => proceed?.()}>
          {state.leave}
        </Button>
      </Group>
    </Modal>
  )
}
