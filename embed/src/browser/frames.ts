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
  const send = (message: Omit<FrameMessage, 'source'>) =>
    window.parent.postMessage({ source: 'tossup', ...message }, '*')
  for (const type of EVENTS) {
    document.addEventListener(`tossup:${type}`, (event) => send({ type, detail: (event as CustomEvent).detail }))
  }
  const measured = new ResizeObserver(() => send({ type: 'height', height: document.documentElement.offsetHeight }))
  measured.observe(document.documentElement)
}

const MOST_PIXELS = 20_000

/** In the host: sizes our frames to their content and dispatches their events on the `<iframe>` element. */
export function hearFrames(origin: string): void {
  window.addEventListener('message', ({ data, origin: from, source }) => {
    if (from !== origin || data?.source !== 'tossup') return
    const frame = [...document.querySelectorAll('iframe')].find(({ contentWindow }) => contentWindow === source)
    if (!frame) return
    const { type, height, detail } = data as FrameMessage
    if (type !== 'height') {
      frame.dispatchEvent(new CustomEvent(`tossup:${type}`, { bubbles: true, detail }))
    } else if (Number.isFinite(height)) {
      frame.style.height = `${Math.min(MOST_PIXELS, Math.max(0, Math.ceil(height ?? 0)))}px`
    }
  })
}
