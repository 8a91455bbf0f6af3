import { sql } from 'kysely'
import { MINUTE } from '../../../base/clock.ts'
import type { AskedVotes, Db, Engine, FoundVote, Tx } from '../../../db/store.ts'
import { transaction } from '../../../db/transaction.ts'
import { membersOf } from '../queries.ts'

/** A condition on votes: false for votes that a device cast before it was forgotten. */
export const isRemembered = sql<boolean>`not exists (
  select 1 from forgotten_devices
  where forgotten_devices.device = ${sql.ref('votes.device')}
    and forgotten_devices.forgotten_at >= ${sql.ref('votes.voted_at')})`

/** The votes of these devices on these polls, without those that a device cast before it was forgotten. */
export async function rememberedVotes(
  engine: Pick<Engine, 'votesOf'>,
  db: Db,
  asked: AskedVotes,
): Promise<FoundVote[]> {
  const votes = await engine.votesOf(db, asked)
  return votes.filter(({ voted_at, forgotten_at }) => forgotten_at === null || forgotten_at < voted_at)
}

/** Devices as keys of a map. */
export const deviceName = (device: Uint8Array): string => Buffer.from(device).toString('latin1')

/** Votes up to that time belong to nobody from now on. A later time wins. Sorted, so that two purges at once cannot deadlock. */
export const markForgotten = (tx: Tx, devices: readonly Uint8Array[], forgottenAt: number) =>
  tx
    .insertInto('forgotten_devices')
    .values(devices.toSorted(Buffer.compare).map((device) => ({ device, forgotten_at: forgottenAt })))
    .onConflict((conflict) =>
      conflict
        .column('device')
        .doUpdateSet((row) => ({ forgotten_at: row.ref('excluded.forgotten_at') }))
        .whereRef('excluded.forgotten_at', '>', 'forgotten_devices.forgotten_at'),
    )
    .execute()

/** Respondents in the order in which everybody locks them: by campaign, then by device. */
export const respondentsToLock = ({ forUpdate }: Pick<Engine, 'forUpdate'>, tx: Tx) =>
  tx.selectFrom('campaign_respondents').select('key').orderBy('campaign_key').orderBy('device').modifyEnd(forUpdate)

/**
 * Removes the respondent rows of these devices from before they were forgotten. A device that voted since stays,
 * from that vote on. Holds the polls' locks, so that no vote comes between.
 */
export async function removeForgotten(engine: Engine, tx: Tx, devices: readonly Uint8Array[]): Promise<void> {
  const stale = await staleRespondents(tx).where('respondent.device', 'in', devices).execute()
  if (stale.length === 0) return
  const members = await membersOf(tx, [...new Set(stale.map(({ campaign_key }) => campaign_key))])
  const polls = [...new Set(members.map(({ poll_key }) => poll_key))]
  if (polls.length > 0) await engine.lockPollsWithVotes(tx, polls)
  const keys = stale.map(({ key }) => key)
  await respondentsToLock(engine, tx).where('key', 'in', keys).execute()
  const votes = await rememberedVotes(engine, tx, { pollKeys: polls, devices: stale.map(({ device }) => device) })
  const votesOfDevice = Map.groupBy(votes, ({ device }) => deviceName(device))
  const gone: number[] = []
  for (const { key, campaign_key, device } of stale) {
    const isMember = (poll: number) =>
      members.some((member) => member.campaign_key === campaign_key && member.poll_key === poll)
    const own = (votesOfDevice.get(deviceName(device)) ?? []).filter(({ poll_key }) => isMember(poll_key))
    if (own.length === 0) {
      gone.push(key)
      continue
    }
    const started_at = Math.min(...own.map(({ voted_at }) => voted_at))
    await tx.updateTable('campaign_respondents').set({ started_at }).where('key', '=', key).execute()
  }
  if (gone.length > 0) await tx.deleteFrom('campaign_respondents').where('key', 'in', gone).execute()
}

const staleRespondents = (tx: Tx) =>
  tx
    .selectFrom('forgotten_devices')
    .innerJoin('campaign_respondents as respondent', 'respondent.device', 'forgotten_devices.device')
    .select(['respondent.key', 'respondent.campaign_key', 'respondent.device'])
    .whereRef('respondent.started_at', '<=', 'forgotten_devices.forgotten_at')

/** Longer than any transaction of the ledger or of a walk. */
const LATEST = 2 * MINUTE
const BATCH = 500

/**
 * A vote that commits while its device is being forgotten may leave a respondent row without a vote. The row is never
 * shown, but it would give the wrong time if the device voted in the campaign again.
 */
export const sweepForgotten = (engine: Engine): Promise<void> =>
  transaction(engine, async (tx) => {
    const since = (await engine.votingTime(tx)) - LATEST
    const left = await staleRespondents(tx).where('forgotten_at', '>', since).limit(BATCH).execute()
    if (left.length > 0) {
      await removeForgotten(
        engine,
        tx,
        left.map(({ device }) => device),
      )
    }
  })
