import type { FrameMessage } from './frames.ts'
import { voter } from './service.ts'
import { type SeenVote, tellHere } from './votes/same-votes.ts'

/** Our frames on this page follow a vote. */
export function tellFrames(poll: string, option: SeenVote['option']): void {
  for (const { contentWindow } of document.querySelectorAll('iframe')) {
    contentWindow?.postMessage({ source: 'tossup', type: 'vote', poll, option }, voter.url)
  }
}

const MOST_PIXELS = 20_000

/** In the host: sizes our frame to its content, and dispatches its events on the `<iframe>` element. */
export function hearFrame({ data, source }: MessageEvent<FrameMessage>): void {
  const frame = [...document.querySelectorAll('iframe')].find(({ contentWindow }) => contentWindow === source)
  if (!frame) return
  const { type, height, detail } = data
  if (type !== 'height') {
    for (const mark of ':-') frame.dispatchEvent(new CustomEvent(`tossup${mark}${type}`, { bubbles: true, detail }))
    const vote = detail as { poll: string } & SeenVote
    if (type === 'voted') tellHere(vote.poll, vote)
  }
  if (Number.isFinite(height)) {
    frame.style.height = `${Math.min(MOST_PIXELS, Math.max(0, Math.ceil(height ?? 0)))}px`
  }
}
