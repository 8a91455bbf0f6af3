import { type SeenVote, tellHere } from '../votes/same-votes.ts'

/** The messages that a framed page sends to its host: see render-page.ts of the server. */
interface FrameMessage {
  readonly source: 'tossup'
  readonly type: 'height' | 'ready' | 'voted' | 'step' | 'completed' | 'error'
  readonly height?: number
  /** The `color-scheme` of the framed page. */
  readonly scheme?: string
  readonly detail?: unknown
}

const MOST_PIXELS = 20_000

/** In the host: sizes our frame to its content, and dispatches its events on the `<iframe>` element. */
export function hearFrame({ data, source }: MessageEvent<FrameMessage>): void {
  const frame = [...document.querySelectorAll('iframe')].find(({ contentWindow }) => contentWindow === source)
  if (!frame) return
  const { type, height, scheme, detail } = data
  // A frame with another scheme than its page gets an opaque ground.
  if (scheme && /^(light|dark|light dark)$/.test(scheme)) frame.style.colorScheme = scheme
  if (type !== 'height') {
    for (const mark of ':-') frame.dispatchEvent(new CustomEvent(`tossup${mark}${type}`, { bubbles: true, detail }))
    const vote = detail as { poll: string } & SeenVote
    if (type === 'voted') tellHere(vote.poll, vote)
  }
  if (Number.isFinite(height)) {
    frame.style.height = `${Math.min(MOST_PIXELS, Math.max(0, Math.ceil(height ?? 0)))}px`
  }
}
