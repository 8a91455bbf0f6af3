import { type PollTimes, type Status, statusAt } from '../status.ts'

export interface Announcement {
  readonly type: 'poll.opened' | 'poll.closed'
  readonly at: number
}

/** The last announced status, and the time of the next announcement. */
export interface Told {
  readonly announced_status: Status | null
  readonly announce_at: number | null
}

interface Poll extends PollTimes {
  readonly is_draft: number
  readonly announced_status: string | null
}

const NOTHING: Told = { announced_status: null, announce_at: null }

/** All transitions that have passed, in order, each with its own time: after a standstill there are several. */
export function passed(
  poll: PollTimes & { readonly announced_status: string | null; readonly announce_at: number | null },
  now: number,
): { announcements: Announcement[]; told: Told } {
  const announcements: Announcement[] = []
  let told: Told = { announced_status: poll.announced_status as Status | null, announce_at: poll.announce_at }
  while (told.announce_at !== null && told.announce_at <= now) {
    const at = told.announce_at
    told = toldOf(poll, at)
    announcements.push({ type: told.announced_status === 'closed' ? 'poll.closed' : 'poll.opened', at })
  }
  return { announcements, told }
}

/** The announcements of a new or changed poll. A draft has none, and a poll that was never open does not close. */
export function changed(poll: Poll, now: number): { announcements: Announcement[]; told: Told } {
  if (poll.is_draft === 1) return { announcements: [], told: NOTHING }
  const told = toldOf(poll, now)
  const { announced_status: status } = told
  if (status === poll.announced_status || status === 'scheduled') return { announcements: [], told }
  if (status === 'open') return { announcements: [{ type: 'poll.opened', at: now }], told }
  const wasKnown = poll.announced_status !== null
  return { announcements: wasKnown ? [{ type: 'poll.closed', at: now }] : [], told }
}

function toldOf(poll: PollTimes, now: number): Told {
  const status = statusAt(poll, now)
  const next = { scheduled: poll.opens_at, open: poll.closes_at, closed: null }
  return { announced_status: status, announce_at: next[status] }
}
