import { insightOf } from '../../../../embed/src/insight/verdict.ts'
import { iso } from '../../base/clock.ts'
import { inBatches } from '../../base/work/jobs.ts'
import type { Tx } from '../../db/store.ts'
import { transaction } from '../../db/transaction.ts'
import type { EventsWith } from '../../events/event-catalogue.ts'
import type { OwnedPoll } from '../../events/resources/poll.ts'
import type { Deps, WriteDeps } from '../deps.ts'
import { presentOwnedPoll } from './present-poll.ts'
import { labelsOf, type PollRow, pollRows, withTallies } from './queries.ts'
import { type PollTimes, type Status, statusAt } from './status.ts'

interface Announcement {
  readonly type: 'poll.opened' | 'poll.closed'
  readonly at: number
}

/** The last announced status, and the time of the next announcement. */
interface Told {
  readonly announced_status: Status | null
  readonly announce_at: number | null
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
export function changed(
  poll: PollTimes & { readonly is_draft: number; readonly announced_status: string | null },
  now: number,
): { announcements: Announcement[]; told: Told } {
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

/** The events that carry a poll alone. */
type PollEvent = Exclude<EventsWith<{ poll: OwnedPoll }>, 'poll.closed' | 'poll.milestone'>

interface PollAt {
  readonly row: PollRow
  readonly at: number
}

/** The poll at that moment, in the owner's form. */
export async function pollAt(deps: WriteDeps, tx: Tx, { row, at }: PollAt): Promise<OwnedPoll> {
  const labels = await labelsOf(tx, [row.key])
  return presentOwnedPoll(row, labels(row.key), { deps, now: at })
}

export const emitPoll = (deps: WriteDeps, tx: Tx, { type, row, at }: PollAt & { type: PollEvent }): Promise<void> =>
  deps.bus.emit(tx, {
    brandKey: row.brand_key,
    type,
    at,
    data: async () => ({ poll: await pollAt(deps, tx, { row, at }) }),
  })

const emitClosed = (deps: WriteDeps, tx: Tx, { row, at }: PollAt): Promise<void> =>
  deps.bus.emit(tx, {
    brandKey: row.brand_key,
    type: 'poll.closed',
    at,
    data: async () => ({
      poll: await pollAt(deps, tx, { row, at }),
      insight: { ...insightOf({ optionA: row.option_a, optionB: row.option_b }), countedAt: iso(at) },
    }),
  })

export async function emitAnnouncements(
  deps: WriteDeps,
  tx: Tx,
  { row, announcements }: { row: PollRow; announcements: readonly Announcement[] },
): Promise<void> {
  for (const { type, at } of announcements) {
    if (type === 'poll.closed') await emitClosed(deps, tx, { row, at })
    else await emitPoll(deps, tx, { type, row, at })
  }
}

const BATCH = 20

/** Raises the events of polls that the clock has opened or closed. */
export const announceDue = (deps: Deps, now: number): Promise<boolean> => inBatches(() => announceSome(deps, now))

async function announceSome(deps: Deps, now: number): Promise<boolean> {
  const { engine } = deps
  const due = await engine.db
    .selectFrom('polls')
    .select('key')
    .where('announce_at', '<=', now)
    .orderBy('announce_at')
    .limit(BATCH)
    .execute()
  const keys = due.map(({ key }) => key)
  if (keys.length === 0) return false
  await transaction(engine, async (tx) => {
    await engine.lockPollsWithVotes(tx, keys)
    // Read again under the lock: another server may have raised them, or the owner changed the poll.
    const polls = pollRows(tx).where('polls.key', 'in', keys).where('polls.announce_at', '<=', now)
    const rows = await withTallies(tx, polls).execute()
    for (const row of rows) {
      const { announcements, told } = passed(row, now)
      await tx.updateTable('polls').set(told).where('key', '=', row.key).execute()
      await emitAnnouncements(deps, tx, { row, announcements })
    }
  })
  return keys.length === BATCH
}
