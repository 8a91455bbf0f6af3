import { withAfter } from './parts.ts'
import { tellHere } from './votes/same-votes.ts'

/** The messages that a framed page sends to its host. */
export interface FrameMessage {
  readonly source: 'tossup'
  readonly type: 'height' | 'ready' | 'voted' | 'step' | 'completed' | 'error'
  readonly height?: number
  readonly detail?: unknown
}

const EVENTS = ['ready', 'voted', 'step', 'completed', 'error'] as const

/** Inside a frame: every host that `embedOrigins` allows to frame the poll also receives its events. */
export function tellHost(): void {
  // In each message, because the script of the host may not hear the first ones.
  let height: number | undefined
  const send = (message: Omit<FrameMessage, 'source' | 'height'>) =>
    parent.postMessage({ source: 'tossup', height, ...message }, '*')
  // The host cannot vote: what it says is shown, and the numbers are ours.
  addEventListener('message', ({ data, source }) => {
    const isVote = source === parent && data?.source === 'tossup' && data.type === 'vote'
    if (isVote && /^[AB]$/.test(data.option)) tellHere(data.poll, { option: data.option })
  })
  for (const type of EVENTS) {
    document.addEventListener(`tossup:${type}`, (event) => send({ type, detail: (event as CustomEvent).detail }))
  }
  const measured = new ResizeObserver(() => {
    height = document.documentElement.offsetHeight
    send({ type: 'height' })
  })
  measured.observe(document.documentElement)
}

/** In the host: what hears our frames is loaded when the first of them speaks. */
export function hearFrames(origin: string): void {
  addEventListener('message', (message) => {
    if (message.origin === origin && message.data?.source === 'tossup') withAfter(({ hearFrame }) => hearFrame(message))
  })
}
