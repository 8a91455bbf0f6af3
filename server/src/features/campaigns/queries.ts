import { sql } from 'kysely'
import { notFound } from '../../base/errors.ts'
import { newestFirst, type Slice } from '../../db/keyset.ts'
import { prepared } from '../../db/prepared.ts'
import type { Db, Tx } from '../../db/store.ts'
import type { CampaignRow } from '../../db/tables.ts'
import type { Paging } from '../../http/paging.ts'
import { type PollRow, pollsByKey } from '../polls/queries.ts'

/** Updates the row first, which locks it, so that two changes of its polls run one after the other. */
export const lockOwnedCampaign = (
  tx: Tx,
  { brandKey, campaignId }: { brandKey: number; campaignId: string },
): Promise<CampaignRow> =>
  tx
    .updateTable('campaigns')
    .set(({ ref }) => ({ updated_at: ref('updated_at') }))
    .where('id', '=', campaignId)
    .where('brand_key', '=', brandKey)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirstOrThrow(notFound)

const campaignRows = (db: Db) =>
  db
    .selectFrom('campaigns')
    .innerJoin('brands', 'brands.key', 'campaigns.brand_key')
    .selectAll('campaigns')
    .select(['brands.slug as brand_slug', 'brands.name as brand_name', 'brands.theme', 'brands.theme_version'])
    .where('campaigns.deleted_at', 'is', null)
    .where('brands.deleted_at', 'is', null)

export type CampaignWithBrand = NonNullable<Awaited<ReturnType<typeof findOwnedCampaign>>>

export const findOwnedCampaign = (db: Db, brandKey: number, id: string) =>
  campaignRows(db).where('campaigns.id', '=', id).where('campaigns.brand_key', '=', brandKey).executeTakeFirst()

export const findPublicCampaign = (db: Db, id: string) =>
  campaignRows(db).where('campaigns.id', '=', id).where('campaigns.state', '=', 'published').executeTakeFirst()

interface ListRequest {
  readonly brandKey: number
  readonly paging: Paging
}

export const ownedCampaigns = (db: Db, { brandKey, paging }: ListRequest): Promise<Slice<CampaignWithBrand>> =>
  newestFirst(db, 'campaigns', campaignRows(db).where('campaigns.brand_key', '=', brandKey), paging)

/** Constants: SQLite does not use the partial index `campaigns_listed` if its condition has parameters. */
export const listedCampaigns = (db: Db, { brandKey, paging }: ListRequest): Promise<Slice<CampaignWithBrand>> =>
  newestFirst(
    db,
    'campaigns',
    campaignRows(db)
      .where('campaigns.brand_key', '=', brandKey)
      .where(sql<boolean>`campaigns.is_public = 1 and campaigns.state = 'published'`),
    paging,
  )

export interface Member {
  readonly campaign_key: number
  readonly poll_key: number
}

/** The polls of several campaigns, each in order, including deleted ones. */
export const membersOf = (db: Db, campaignKeys: readonly number[]): Promise<Member[]> =>
  db
    .selectFrom('campaign_polls')
    .select(['campaign_key', 'poll_key'])
    .where('campaign_key', 'in', campaignKeys)
    .where('place', 'is not', null)
    .orderBy('campaign_key')
    .orderBy('place')
    .execute()

/** The polls that visitors of a published campaign see, in order; null if there is no such campaign. */
export async function findSteps(db: Db, id: string) {
  const rows = await db
    .selectFrom('campaigns')
    .innerJoin('brands', 'brands.key', 'campaigns.brand_key')
    .leftJoin('campaign_polls as member', (join) =>
      join.onRef('member.campaign_key', '=', 'campaigns.key').on('member.place', 'is not', null),
    )
    .leftJoin('polls', (join) =>
      join
        .onRef('polls.key', '=', 'member.poll_key')
        .on('polls.deleted_at', 'is', null)
        .on('polls.archived_at', 'is', null)
        .on('polls.is_draft', '=', 0),
    )
    .select(['polls.key', 'polls.opens_at', 'polls.closes_at', 'polls.code_list_key'])
    .where('campaigns.id', '=', id)
    .where('campaigns.state', '=', 'published')
    .where('campaigns.deleted_at', 'is', null)
    .where('brands.deleted_at', 'is', null)
    .orderBy('member.place')
    .modifyEnd(prepared)
    .execute()
  return rows.length === 0 ? null : rows.flatMap(({ key, ...window }) => (key === null ? [] : [{ key, ...window }]))
}

/**
 * Progress of the walk over votes cast before a poll joined or left. A poll that was just deleted and has not left yet
 * counts as not walked at all.
 */
export async function responsesProgressOf(db: Db, campaignKeys: readonly number[]) {
  const isDead = sql`(deleted_at is not null and place is not null)`
  const walked = sql<number>`sum(case when ${isDead} then 0 else walked_to end)`
  const total = sql<number>`sum(case when ${isDead} then option_a + option_b else walk_end end)`
  const members = db
    .selectFrom('campaign_polls')
    .innerJoin('polls', 'polls.key', 'campaign_polls.poll_key')
    .select(['campaign_key', 'poll_key', 'place', 'walked_to', 'walk_end', 'deleted_at'])
    .where('campaign_key', 'in', campaignKeys)
  const rows = await db
    .selectFrom(members.as('member'))
    .innerJoin('tallies', 'tallies.poll_key', 'member.poll_key')
    .select(['campaign_key', sql<number>`cast(${walked} as bigint)`.as('walked')])
    .select(sql<number>`cast(${total} as bigint)`.as('total'))
    .groupBy('campaign_key')
    .execute()
  return (campaignKey: number) => {
    const own = rows.find(({ campaign_key }) => campaign_key === campaignKey)
    const [votesRead, votesToRead] = [own?.walked ?? 0, own?.total ?? 0]
    return { isComplete: votesRead === votesToRead, votesRead, votesToRead }
  }
}

/** Locks the campaign until the transaction ends. False if the campaign does not exist. */
export async function holdCampaign(tx: Tx, key: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('campaigns')
    .set(({ ref }) => ({ updated_at: ref('updated_at') }))
    .where('key', '=', key)
    .executeTakeFirst()
  return numUpdatedRows > 0
}

/** A campaign holds up to 100 polls and a page up to 100 campaigns: a page of 10,000 polls would be too expensive. */
const MOST_POLLS_A_PAGE = 500

export interface CampaignWithPolls {
  readonly row: CampaignWithBrand
  /** In order, without deleted polls. */
  readonly polls: readonly PollRow[]
}

export interface CampaignWithKeys {
  readonly row: CampaignWithBrand
  /** In order, including deleted polls. */
  readonly pollKeys: readonly number[]
}

/** Ends the page early if it would contain too many polls, but always includes at least one campaign. */
export async function withPollKeys(db: Db, { rows, next }: Slice<CampaignWithBrand>): Promise<Slice<CampaignWithKeys>> {
  if (rows.length === 0) return { rows: [], next: null }
  const found = await membersOf(
    db,
    rows.map(({ key }) => key),
  )
  const members = Map.groupBy(found, ({ campaign_key }) => campaign_key)
  const filled = rows.map((row) => ({ row, pollKeys: (members.get(row.key) ?? []).map(({ poll_key }) => poll_key) }))
  const kept = filled.slice(0, roomFor(filled))
  const last = kept.length < rows.length ? kept.at(-1)?.row : undefined
  return { rows: kept, next: last ? [last.created_at, last.key] : next }
}

export async function withPolls(db: Db, slice: Slice<CampaignWithBrand>): Promise<Slice<CampaignWithPolls>> {
  const { rows, next } = await withPollKeys(db, slice)
  const polls = await pollsByKey(db, [...new Set(rows.flatMap(({ pollKeys }) => pollKeys))])
  const byKey = new Map(polls.map((poll) => [poll.key, poll]))
  return {
    rows: rows.map(({ row, pollKeys }) => ({ row, polls: pollKeys.flatMap((key) => byKey.get(key) ?? []) })),
    next,
  }
}

export async function withItsPolls(db: Db, row: CampaignWithBrand): Promise<CampaignWithPolls> {
  const { rows } = await withPolls(db, { rows: [row], next: null })
  return rows[0] ?? { row, polls: [] }
}

function roomFor(campaigns: readonly CampaignWithKeys[]): number {
  let polls = 0
  const tooMany = campaigns.findIndex(({ pollKeys }, i) => {
    polls += pollKeys.length
    return i > 0 && polls > MOST_POLLS_A_PAGE
  })
  return tooMany === -1 ? campaigns.length : tooMany
}
