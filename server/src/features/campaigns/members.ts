import { sql } from 'kysely'
import { AppError, invalidInput } from '../../base/errors.ts'
import { valueByKey } from '../../db/prepared.ts'
import type { Tx } from '../../db/store.ts'
import type { Deps } from '../deps.ts'
import { membersOf } from './queries.ts'

export const MOST_CAMPAIGNS = 20

/** The keys of the campaign's current polls, in order. */
export const memberKeys = async (tx: Tx, campaignKey: number): Promise<number[]> =>
  (await membersOf(tx, [campaignKey])).map(({ poll_key }) => poll_key)

interface Joining {
  readonly brandKey: number
  readonly polstIds: readonly string[]
  /** The keys of the polls that are already in the campaign. */
  readonly members: readonly number[]
}

/**
 * The keys of the campaign's new list of polls. Locks the polls that join and those that leave: the ledger reads campaign
 * membership under the same locks, so each group of votes comes wholly before or wholly after the change.
 */
export async function lockPolls(
  { engine }: Pick<Deps, 'engine'>,
  tx: Tx,
  { brandKey, polstIds, members }: Joining,
): Promise<number[]> {
  const ids = polstIds.map((id) => id.toLowerCase())
  const owned = tx.selectFrom('polls').where('brand_key', '=', brandKey).where('id', 'in', ids)
  const found = await owned.select('key').execute()
  const toLock = new Set([...members, ...found.map(({ key }) => key)])
  if (toLock.size > 0) await engine.lockPollsWithVotes(tx, [...toLock])
  const joining = await owned
    .select(['key', 'id', 'campaign_count'])
    .where('archived_at', 'is', null)
    .where('deleted_at', 'is', null)
    .execute()
  const byId = new Map(joining.map((poll) => [poll.id, poll]))
  const full = ids.flatMap((id, i) => {
    const poll = byId.get(id)
    return poll && poll.campaign_count >= MOST_CAMPAIGNS && !members.includes(poll.key) ? [tooManyCampaigns(i)] : []
  })
  if (full.length > 0) throw invalidInput(full)
  const foreign = polstIds.filter((_id, i) => !byId.has(ids[i] ?? ''))
  if (foreign.length > 0) throw new AppError('INVALID_POLST_OWNERSHIP', { details: { foreignPolstIds: foreign } })
  return ids.flatMap((id) => byId.get(id)?.key ?? [])
}

const tooManyCampaigns = (place: number) => ({
  path: `polstIds.${place}`,
  code: 'too_many_campaigns',
  message: `A poll can be in at most ${MOST_CAMPAIGNS} campaigns.`,
})

/** Call it under the locks of the campaign and of all these polls. Votes cast before a poll joined or left are walked later. */
export async function writeMembers(
  tx: Tx,
  { campaignKey, before, after }: { campaignKey: number; before: readonly number[]; after: readonly number[] },
): Promise<void> {
  const came = after.filter((key) => !before.includes(key))
  const left = before.filter((key) => !after.includes(key))
  if (came.length > 0) await endLeaving(tx, campaignKey, came)
  const votes = await votesCast(tx, came)
  const rows = after.map((poll_key, place) => ({
    campaign_key: campaignKey,
    poll_key,
    place,
    walked_to: 0,
    walk_end: votes.get(poll_key) ?? 0,
  }))
  await tx
    .insertInto('campaign_polls')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['campaign_key', 'poll_key']).doUpdateSet((row) => ({ place: row.ref('excluded.place') })),
    )
    .execute()
  await countCampaigns(tx, came, 1)
  if (left.length > 0) await leave(tx, [campaignKey], left)
}

/** The campaigns that the poll is in, in the order in which they are locked. */
export async function campaignsOf(tx: Tx, pollKey: number): Promise<number[]> {
  const rows = await tx
    .selectFrom('campaign_polls')
    .select('campaign_key')
    .where('poll_key', '=', pollKey)
    .where('place', 'is not', null)
    .orderBy('campaign_key')
    .execute()
  return rows.map(({ campaign_key }) => campaign_key)
}

/** Call it under the locks of these campaigns and then of the poll. Removes the poll from all campaigns. */
export async function leaveAllCampaigns(tx: Tx, pollKey: number): Promise<void> {
  const campaignKeys = await campaignsOf(tx, pollKey)
  if (campaignKeys.length > 0) await leave(tx, campaignKeys, [pollKey])
}

/** For a deleted campaign: nothing needs to be walked any more. */
export async function removeMembers(tx: Tx, campaignKey: number, pollKeys: readonly number[]): Promise<void> {
  await tx.deleteFrom('campaign_polls').where('campaign_key', '=', campaignKey).execute()
  await countCampaigns(tx, pollKeys, -1)
}

/** A poll without votes is removed at once. Others stay, without a place, until their votes have been walked. */
async function leave(tx: Tx, campaignKeys: readonly number[], pollKeys: readonly number[]): Promise<void> {
  await tx
    .updateTable('campaign_polls')
    .set({ place: null, walked_to: 0, walk_end: valueByKey('poll_key', await votesCast(tx, pollKeys)) })
    .where('campaign_key', 'in', campaignKeys)
    .where('poll_key', 'in', pollKeys)
    .execute()
  await tx
    .deleteFrom('campaign_polls')
    .where('campaign_key', 'in', campaignKeys)
    .where('poll_key', 'in', pollKeys)
    .where('walk_end', '=', 0)
    .execute()
  await countCampaigns(tx, pollKeys, -campaignKeys.length)
}

const endLeaving = (tx: Tx, campaignKey: number, pollKeys: readonly number[]) =>
  tx.deleteFrom('campaign_polls').where('campaign_key', '=', campaignKey).where('poll_key', 'in', pollKeys).execute()

async function votesCast(tx: Tx, pollKeys: readonly number[]): Promise<ReadonlyMap<number, number>> {
  if (pollKeys.length === 0) return new Map()
  const rows = await tx
    .selectFrom('tallies')
    .select(['poll_key', sql<number>`option_a + option_b`.as('votes')])
    .where('poll_key', 'in', pollKeys)
    .execute()
  return new Map(rows.map(({ poll_key, votes }) => [poll_key, votes]))
}

async function countCampaigns(tx: Tx, pollKeys: readonly number[], change: number): Promise<void> {
  if (pollKeys.length === 0) return
  await tx
    .updateTable('polls')
    .set({ campaign_count: sql`campaign_count + ${change}` })
    .where('key', 'in', pollKeys)
    .execute()
}
