import { sql } from 'kysely'
import type { Engine, Tx } from '../../../db/store.ts'
import { deviceName, isRemembered, rememberedVotes } from './forgotten.ts'

/** Positions of a poll's votes, `after` excluded and `to` included. */
export interface PositionRange {
  readonly after: number
  readonly to: number
}

interface Votes {
  readonly campaignKey: number
  readonly pollKey: number
  readonly span: PositionRange
}

/** Makes respondents of these votes' devices, each with the time of its first vote in the campaign. */
export const takeOverVotes = (tx: Tx, { campaignKey, pollKey, span }: Votes) =>
  tx
    .insertInto('campaign_respondents')
    .columns(['campaign_key', 'device', 'started_at'])
    .expression((from) =>
      from
        .selectFrom('votes')
        .select([ofCampaign(campaignKey), 'device', 'voted_at'])
        .where('poll_key', '=', pollKey)
        .where('position', '>', span.after)
        .where('position', '<=', span.to)
        .where(isRemembered('votes'))
        .orderBy('device'),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['campaign_key', 'device'])
        .doUpdateSet((row) => ({ started_at: row.ref('excluded.started_at') }))
        .whereRef('excluded.started_at', '<', 'campaign_respondents.started_at'),
    )
    .execute()

/**
 * Sets the time of each of these votes' devices to its first vote on the polls that stay, and removes the devices that have none
 * there. Call it under the locks of these polls.
 */
export async function settleRespondents(
  engine: Engine,
  tx: Tx,
  { campaignKey, pollKey, span, members }: Votes & { readonly members: readonly number[] },
): Promise<void> {
  const walked = await tx
    .selectFrom('votes')
    .select('device')
    .where('poll_key', '=', pollKey)
    .where('position', '>', span.after)
    .where('position', '<=', span.to)
    .execute()
  const devices = walked.map(({ device }) => device)
  const votes = Map.groupBy(await rememberedVotes(engine, tx, { pollKeys: members, devices }), ({ device }) =>
    deviceName(device),
  )
  const staying = devices.flatMap((device) => {
    const times = votes.get(deviceName(device))?.map(({ voted_at }) => voted_at)
    return times ? [{ campaign_key: campaignKey, device, started_at: Math.min(...times) }] : []
  })
  if (staying.length > 0) {
    await tx
      .insertInto('campaign_respondents')
      // Sorted, so that two transactions with the same devices cannot deadlock.
      .values(staying.toSorted((left, right) => Buffer.compare(left.device, right.device)))
      .onConflict((conflict) =>
        conflict
          .columns(['campaign_key', 'device'])
          .doUpdateSet((row) => ({ started_at: row.ref('excluded.started_at') }))
          .whereRef('excluded.started_at', '<>', 'campaign_respondents.started_at'),
      )
      .execute()
  }
  const leaving = devices.filter((device) => !votes.has(deviceName(device)))
  if (leaving.length === 0) return
  await tx
    .deleteFrom('campaign_respondents')
    .where('campaign_key', '=', campaignKey)
    .where('device', 'in', leaving)
    .execute()
}

/** PostgreSQL would type a bare parameter here as text. */
const ofCampaign = (key: number) => sql<number>`cast(${key} as bigint)`.as('campaign_key')
