import { sql } from 'kysely'
import { inBatches } from '../../../base/work/jobs.ts'
import type { Tx } from '../../../db/store.ts'
import { transaction } from '../../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { type PollNews, queueNews } from '../../people/mail/queue-news.ts'
import { pollAt } from '../../polls/poll-events.ts'
import { pollRows, withTallies } from '../../polls/queries.ts'

const BATCH = 100

/** The condition of the partial index `polls_at_milestone`. */
const hasReached = sql<boolean>`vote_total >= next_milestone and deleted_at is null`

/** The first vote, then 10, 100, 1,000 and so on. */
const milestoneAfter = (total: number): number => {
  let next = 1
  while (next <= total) next *= 10
  return next
}

/** All that a poll has passed since the last look. */
function passedBy({ vote_total, next_milestone }: { vote_total: number; next_milestone: number }): number[] {
  const passed: number[] = []
  for (let total = next_milestone; total <= vote_total; total *= 10) passed.push(total)
  return passed
}

/** Members are told of the first vote, and of the highest number from 100 on. */
const mailedOf = (passed: readonly number[]): number[] =>
  passed.filter((total) => total === 1 || (total >= 100 && total === passed.at(-1)))

/** The poll is read only if a webhook wants the event. The first vote has `poll.voted`. */
async function emitMilestones(
  deps: Deps,
  tx: Tx,
  { key, brandKey, passed }: { key: number; brandKey: number; passed: readonly number[] },
  at: number,
): Promise<void> {
  const poll = async () => {
    const row = await withTallies(tx, pollRows(tx).where('polls.key', '=', key)).executeTakeFirstOrThrow()
    return pollAt(deps, tx, { row, at })
  }
  for (const total of passed.filter((votes) => votes > 1))
    await deps.bus.emit(tx, { brandKey, type: 'poll.milestone', at, data: async () => ({ poll: await poll(), total }) })
}

/** Raises events and queues news of polls that have reached a milestone. `vote_total` follows the votes within seconds. */
export const noteMilestones = (deps: Deps, now: number): Promise<boolean> =>
  inBatches(async () => {
    const { engine } = deps
    const reached = engine.db
      .selectFrom('polls')
      .select(['key', 'brand_key', 'vote_total', 'next_milestone'])
      .where(hasReached)
      .orderBy('key')
      .limit(BATCH)
    const polls = await reached.execute()
    if (polls.length > 0) {
      await transaction(engine, async (tx) => {
        const news: PollNews[] = []
        for (const poll of polls) {
          const { key, brand_key: brandKey } = poll
          const noted = await tx
            .updateTable('polls')
            .set({ next_milestone: milestoneAfter(poll.vote_total) })
            .where('key', '=', key)
            // Otherwise another server has noted it.
            .where('next_milestone', '=', poll.next_milestone)
            .returning('key')
            .executeTakeFirst()
          if (!noted) continue
          const passed = passedBy(poll)
          await emitMilestones(deps, tx, { key, brandKey, passed }, now)
          news.push(...mailedOf(passed).map((total) => ({ brandKey, pollKey: key, total })))
        }
        await queueNews(engine, tx, news, now)
      })
    }
    return polls.length === BATCH
  })
