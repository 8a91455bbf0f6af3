import type { ServedPoll } from '../service.ts'

interface Watched {
  show(): void
  refresh(): void
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
/** The service may reach a time a little later than this clock: it is asked again, less and less often. */
const AGAIN_MS = 500
const MOST_AGAIN_MS = 60_000

const timers = new WeakMap<Watched, ReturnType<typeof setTimeout>>()
const agains = new WeakMap<Watched, number>()

/** How long a time stays true as it is written: a second in the last minute, a minute in the last hour. */
function untilNextWords(instant: string, now: number): number {
  const left = Date.parse(instant) - now
  if (left <= 0) return 0
  const length = [HOUR, MINUTE].find((each) => left > each) ?? SECOND
  return left % length || length
}

/** A poll opens and closes while it is shown, and its times are told in words that grow old. They are in no live region. */
export function watchTime(card: Watched, { status, opensAt, closesAt }: ServedPoll): void {
  clearTimeout(timers.get(card))
  const next = status === 'scheduled' ? opensAt : status === 'open' && closesAt
  if (!next) return
  const wait = untilNextWords(next, Date.now())
  const again = wait > 0 ? AGAIN_MS : Math.min(2 * (agains.get(card) ?? AGAIN_MS), MOST_AGAIN_MS)
  agains.set(card, again)
  timers.set(
    card,
    setTimeout(() => (wait > 0 ? card.show() : card.refresh()), wait || again),
  )
}
