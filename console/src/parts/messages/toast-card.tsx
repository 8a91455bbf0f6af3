import { Button, Group, Notification } from '@mantine/core'
import styles from '@mantine/core/styles/Notification.css' with { type: 'text' }
import { type FocusEvent, useEffect, useEffectEvent, useRef } from 'react'
import { words } from '../../words/words.ts'
import { addStyles } from '../polls/sheet.ts'

addStyles(styles)

/** A button beside the text of a toast. */
export interface ToastAction {
  readonly label: string
  readonly run: () => void
}

export interface Toast {
  readonly id: number
  readonly text: string
  readonly isFailure: boolean
  /** The last input before it came was a key. */
  readonly isByKeyboard: boolean
  readonly action?: ToastAction | undefined
}

const SHOWN_MS = 6_000
/** To read it, decide and reach the button: with the keyboard past everything that is before it. */
const SHOWN_WITH_ACTION_MS = 15_000
const SHOWN_TO_KEYBOARD_MS = 60_000
/** After the pointer and the focus have left it. */
const LOOK_AGAIN_MS = 2_000

function shownMs({ action, isByKeyboard }: Toast): number {
  if (!action) return SHOWN_MS
  return isByKeyboard ? SHOWN_TO_KEYBOARD_MS : SHOWN_WITH_ACTION_MS
}

interface ToastCardProps {
  readonly toast: Toast
  readonly onClose: () => void
}

export function ToastCard({ toast, onClose }: ToastCardProps) {
  const { text, isFailure, action } = toast
  const card = useRef<HTMLDivElement>(null)
  const cameFrom = useRef<HTMLElement | null>(null)
  const close = useEffectEvent(onClose)
  // A pointer or a focus on one of them holds them all: one that left would move the others away below the pointer.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a toast does not change
  useEffect(() => {
    if (isFailure) return
    const leave = () => {
      if (card.current?.closest('.toasts')?.matches(':hover, :focus-within')) timer = setTimeout(leave, LOOK_AGAIN_MS)
      else close()
    }
    let timer = setTimeout(leave, shownMs(toast))
    return () => clearTimeout(timer)
  }, [])
  const rememberFocus = ({ relatedTarget }: FocusEvent) => {
    if (relatedTarget instanceof HTMLElement && !card.current?.contains(relatedTarget)) cameFrom.current = relatedTarget
  }
  /** A keyboard goes on where it was, or in the page if that is gone. */
  const leaveTo = () => {
    const isFocused = card.current?.contains(document.activeElement)
    onClose()
    if (!isFocused) return
    const place = cameFrom.current?.isConnected ? cameFrom.current : document.querySelector<HTMLElement>('main')
    place?.focus({ preventScroll: true })
  }
  return (
    <Notification
      ref={card}
      color={isFailure ? 'red' : 'teal'}
      withBorder
      onFocus={rememberFocus}
      onClose={leaveTo}
      closeButtonProps={{ 'aria-label': words().common.close }}
    >
      <Group justify="space-between" wrap="nowrap">
        <span dir="auto">{text}</span>
        {action && (
          <Button
            size="compact-sm"
            variant="light"
            style={{ flex: 'none' }}
            onClick={() => {
              leaveTo()
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
