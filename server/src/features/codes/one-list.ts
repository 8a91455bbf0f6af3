import { sql } from 'kysely'
import { invalidField } from '../../base/errors.ts'
import type { Db, Engine, Tx } from '../../db/store.ts'

const campaignsWith = (db: Db, pollKey: number) =>
  db.selectFrom('campaign_polls').select('campaign_key').where('poll_key', '=', pollKey).where('place', 'is not', null)

/** Locks the campaigns of a poll, before the poll as everywhere: of two polls that are published at once, the second sees the first. */
export const holdCampaignsOf = (engine: Pick<Engine, 'forUpdate'>, tx: Tx, pollKey: number) =>
  tx
    .selectFrom('campaigns')
    .select('key')
    .where('key', 'in', campaignsWith(tx, pollKey))
    .orderBy('key')
    .modifyEnd(engine.forUpdate)
    .execute()

/** Call it after the write of a poll, under its lock. */
export async function requireOneListAround(tx: Tx, pollKey: number): Promise<void> {
  const campaigns = await campaignsWith(tx, pollKey).execute()
  for (const { campaign_key } of campaigns) await requireOneList(tx, { campaignKey: campaign_key, path: 'codeListId' })
}

/** A visitor has one code for a whole campaign: its published polls have one list, or none. Call it after the write. */
export async function requireOneList(
  tx: Tx,
  { campaignKey, path }: { campaignKey: number; path: string },
): Promise<void> {
  const { lists } = await tx
    .selectFrom('campaign_polls')
    .innerJoin('polls', 'polls.key', 'campaign_polls.poll_key')
    .select(sql<number>`count(distinct coalesce(code_list_key, 0))`.as('lists'))
    .where('campaign_key', '=', campaignKey)
    .where('place', 'is not', null)
    .where('is_draft', '=', 0)
    .where('archived_at', 'is', null)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (lists > 1)
    throw invalidField(path, 'mixed_code_lists', 'The published polls of a campaign must have one code list, or none.')
}
