import { Suspense, useSyncExternalStore } from 'react'
import { lazyPart } from '../lazy-part.ts'
import { messageOf } from './messages.ts'
import type { Toast, ToastAction } from './toast-card.tsx'

/** Others make room for a new one, the oldest first. */
const MOST = 3

let shown: readonly Toast[] = []
let next = 1
const listeners = new Set<() => void>()

function show(toasts: readonly Toast[]): void {
  shown = toasts
  for (const listener of listeners) listener()
}

const dismiss = (id: number) => show(shown.filter((each) => each.id !== id))

let isByKeyboard = false
const note = ({ type }: Event) => {
  isByKeyboard = type === 'keydown'
}
addEventListener('keydown', note, true)
addEventListener('pointerdown', note, true)

const add = (toast: Omit<Toast, 'id' | 'isByKeyboard'>) =>
  show([...shown.slice(1 - MOST), { ...toast, id: next++, isByKeyboard }])

export const toast = (text: string, action?: ToastAction): void => add({ text, isFailure: false, action })

/** Stays until it is dismissed. */
export const toastFailure = (error: unknown): void => add({ text: messageOf(error), isFailure: true })

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

const ToastCard = lazyPart(async () => (await import('./toast-card.tsx')).ToastCard)

/** A live region that is there from the start, so that screen readers read out what comes into it. */
export function Toasts() {
  const toasts = useSyncExternalStore(subscribe, () => shown)
  return (
    <div className="toasts" role="status" aria-live="polite">
      {/* The first toast may say that there is no network, and then its card comes later. */}
      <Suspense fallback={toasts.map(({ id, text }) => <p key={id}>{text}</p>)}>
        {toasts.map((each) => (
          <ToastCard key={each.id} toast={each} onClose={() => dismiss(each.id)} />
        ))}
      </Suspense>
    </div>
  )
}
