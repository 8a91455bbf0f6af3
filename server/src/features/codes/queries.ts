import { sql } from 'kysely'
import { orNotFound } from '../../base/errors.ts'
import { newestFirst, type Slice } from '../../db/keyset.ts'
import type { Db, Tx } from '../../db/store.ts'
import type { Paging } from '../../http/paging.ts'

const ownedCodeLists = (db: Db, brandKey: number) =>
  db
    .selectFrom('code_lists')
    .selectAll()
    .select(
      sql<number>`(select count(*) from polls where polls.code_list_key = code_lists.key and polls.deleted_at is null)`.as(
        'polls',
      ),
    )
    .where('brand_key', '=', brandKey)
    .where('deleted_at', 'is', null)

export type CodeListRow = NonNullable<Awaited<ReturnType<typeof findCodeList>>>

/** Ids are written in any case. */
export const findCodeList = (db: Db, brandKey: number, id: string) =>
  ownedCodeLists(db, brandKey).where('id', '=', id.toLowerCase()).executeTakeFirst()

export const codeListsPage = (db: Db, brandKey: number, paging: Paging): Promise<Slice<CodeListRow>> =>
  newestFirst(db, 'code_lists', ownedCodeLists(db, brandKey), paging)

/** Locks the list until the transaction ends, and returns its current row. */
export async function lockCodeList(tx: Tx, brandKey: number, id: string): Promise<CodeListRow> {
  const { numUpdatedRows } = await tx
    .updateTable('code_lists')
    .set(({ ref }) => ({ updated_at: ref('updated_at') }))
    .where('id', '=', id.toLowerCase())
    .where('brand_key', '=', brandKey)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return orNotFound(numUpdatedRows > 0n ? await findCodeList(tx, brandKey, id) : undefined)
}

/** A look-up by key: a list of 200,000 costs what a list of ten does. The vote's own transaction asks again. */
export async function isLiveCode(db: Db, listKey: number, hash: Uint8Array): Promise<boolean> {
  const code = await db
    .selectFrom('codes')
    .select('is_revoked')
    .where('list_key', '=', listKey)
    .where('hash', '=', hash)
    .executeTakeFirst()
  return code?.is_revoked === 0
}

/** At most 100, newest first. */
export const allCodeLists = (db: Db, brandKey: number): Promise<CodeListRow[]> =>
  ownedCodeLists(db, brandKey).orderBy('created_at', 'desc').execute()

/** For the operator, who names a list of any brand. */
export async function findAnyCodeList(db: Db, id: string): Promise<CodeListRow | undefined> {
  const owner = await db
    .selectFrom('code_lists')
    .select('brand_key')
    .where('id', '=', id.toLowerCase())
    .executeTakeFirst()
  return owner && findCodeList(db, owner.brand_key, id)
}

export const findPollWithList = (db: Db, listKey: number, reference: string) =>
  db
    .selectFrom('polls')
    .select('short_id')
    .where('code_list_key', '=', listKey)
    .where('deleted_at', 'is', null)
    .where(({ or, eb }) =>
      or([eb('slug', '=', reference), eb('short_id', '=', reference), eb('id', '=', reference.toLowerCase())]),
    )
    .executeTakeFirst()

export const findCampaignWithList = (db: Db, listKey: number, campaignId: string) =>
  db
    .selectFrom('campaigns')
    .innerJoin('campaign_polls', 'campaign_polls.campaign_key', 'campaigns.key')
    .innerJoin('polls', 'polls.key', 'campaign_polls.poll_key')
    .select('campaigns.id')
    .where('campaigns.id', '=', campaignId.toLowerCase())
    .where('campaigns.deleted_at', 'is', null)
    .where('place', 'is not', null)
    .where('polls.code_list_key', '=', listKey)
    .executeTakeFirst()
