import { Button, Group, Modal, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { words } from '../words/words.ts'

/** Asks before a page with unsaved changes is left, by a link or by closing the tab. */
export function UnsavedGuard({ isChanged }: { readonly isChanged: () => boolean }) {
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
      title={state.unsaved}
      centered
      withCloseButton={false}
    >
      <Text size="sm">{state.unsavedText}</Text>
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
