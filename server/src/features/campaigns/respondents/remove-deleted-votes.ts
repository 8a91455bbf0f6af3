import { sql } from 'kysely'
import { inBatches } from '../../../base/work/jobs.ts'
import { deleteSome } from '../../../db/delete-some.ts'
import type { Engine, Tx } from '../../../db/store.ts'
import { transaction } from '../../../db/transaction.ts'
import { removeUses } from '../../codes/remove-codes.ts'
import { campaignsOf, leaveAllCampaigns } from '../members.ts'
import { holdCampaign } from '../queries.ts'

const BATCH = 2_000
const POLLS = 1_000

/** Removes the votes of deleted polls in batches, so that nobody waits for a large poll. Counts and tally go last. */
export async function removeDeletedVotes(engine: Engine, stopwatch?: () => number): Promise<boolean> {
  const dead = await engine.db
    .selectFrom('polls')
    .select('key')
    // A constant, because SQLite matches the partial index `polls_deleted` only by its literal condition.
    .where(sql<boolean>`deleted_at is not null and is_emptied = 0`)
    .limit(POLLS)
    .execute()
  return inBatches(async () => {
    const poll = dead.at(-1)
    if (poll && !(await removeSome(engine, poll.key))) dead.pop()
    return dead.length > 0
  }, stopwatch)
}

/** False when no votes are left, a walk still needs them, or another server removes some. */
function removeSome(engine: Engine, key: number): Promise<boolean> {
  return transaction(engine, async (tx) => {
    // One server at a time: the other would wait for each batch, longer than a lock may take on a slow disk.
    if (!(await engine.tryLock(tx, 'deleted votes'))) return false
    // Campaigns before polls, as everywhere. A deleted poll joins no other one.
    for (const campaignKey of await campaignsOf(tx, key)) await holdCampaign(tx, campaignKey)
    await engine.lockPollsWithVotes(tx, [key])
    if (!(await hasLeftCampaigns(tx, key))) return false
    const ofPoll = { where: sql<boolean>`poll_key = ${key}`, most: BATCH }
    const source = ['at', 'source_key', 'campaign_key'] as const
    const removed =
      (await deleteSome(tx, 'votes', { keys: ['position'], ...ofPoll })) ||
      (await deleteSome(tx, 'vote_counts', { keys: ['width', 'at'], ...ofPoll })) ||
      (await deleteSome(tx, 'attributed_counts', { keys: [...source, 'shown'], ...ofPoll })) ||
      (await deleteSome(tx, 'view_counts', { keys: source, ...ofPoll }))
    if (removed > 0 || (await removeUses(tx, key))) return true
    for (const table of ['tallies', 'vote_integrity', 'integrity_alerts', 'tally_notices'] as const)
      await tx.deleteFrom(table).where('poll_key', '=', key).execute()
    await tx.updateTable('polls').set({ is_emptied: 1, code_list_key: null }).where('key', '=', key).execute()
    return false
  })
}

/** The walk finds respondents by these votes, so they are removed after it. */
async function hasLeftCampaigns(tx: Tx, pollKey: number): Promise<boolean> {
  await leaveAllCampaigns(tx, pollKey)
  const left = await tx
    .selectFrom('campaign_polls')
    .select('poll_key')
    .where('poll_key', '=', pollKey)
    .executeTakeFirst()
  return left === undefined
}
