import { Button, Group, Notification } from '@mantine/core'
import { words } from '../words/words.ts'

/** A button beside the text of a toast. */
export interface ToastAction {
  readonly label: string
  readonly run: () => void
}

export interface Toast {
  readonly id: number
  readonly text: string
  readonly isFailure: boolean
  readonly action?: ToastAction | undefined
}

interface ToastCardProps {
  readonly toast: Toast
  readonly onClose: () => void
}

export function ToastCard({ toast: { text, isFailure, action }, onClose }: ToastCardProps) {
  return (
    <Notification
      color={isFailure ? 'red' : 'teal'}
      withBorder
      onClose={onClose}
      closeButtonProps={{ 'aria-label': words().common.close }}
    >
      <Group justify="space-between" wrap="nowrap">
        {text}
        {action && (
          <Button
            size="compact-sm"
            variant="light"
            style={{ flex: 'none' }}
            onClick={() => {
              onClose()
              action.run()
            }}
          >
            {action.label}
          </Button>
        )}
      </Group>
    </Notification>
  )
}
