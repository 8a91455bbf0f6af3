import { sql } from 'kysely'
import { exportOutdated } from '../../base/errors.ts'
import { keysetSlice, type Slice } from '../../db/keyset.ts'
import type { Db } from '../../db/store.ts'
import type { OptionName } from '../../db/tables.ts'
import type { Paging } from '../../http/paging.ts'
import { isRemembered } from '../guests/forgotten.ts'

export interface StepVote {
  /** The place of the poll in the campaign, from 1. */
  readonly position: number
  readonly slug: string
  readonly option: OptionName
  readonly votedAt: number
}

export interface RespondentRow {
  readonly device: Uint8Array
  /** In the order of the polls. */
  readonly votes: readonly StepVote[]
}

interface Asked {
  readonly campaignKey: number
  readonly paging: Paging
  /** Leaves out the votes after it. */
  readonly until?: number | null
}

/**
 * A page of a campaign's respondents, newest first. The ledger maintains their order; their votes are read from
 * `votes`, so that a record is right after polls have joined or left.
 */
export async function respondentsOf(
  db: Db,
  { campaignKey, paging, until = null }: Asked,
): Promise<Slice<RespondentRow>> {
  const { rows, next } = await keysetSlice(
    db,
    db.selectFrom('campaign_respondents').select(['key', 'device']).where('campaign_key', '=', campaignKey),
    {
      sort: sql<number>`started_at`,
      key: sql<number>`key`,
      direction: 'desc',
      after: paging.after,
      limit: paging.limit,
    },
  )
  if (rows.length === 0) return { rows: [], next }
  const votes = await stepVotes(
    db,
    campaignKey,
    rows.map(({ key }) => key),
  )
  const isInTime = ({ votedAt }: StepVote) => until === null || votedAt <= until
  const found = rows.map(({ key, device }) => ({ device, votes: (votes.get(key) ?? []).filter(isInTime) }))
  // These have no votes left, because a poll was just deleted or a device forgotten. They leave the list soon.
  return { rows: found.filter((respondent) => respondent.votes.length > 0), next }
}

const PART = 200

/**
 * All respondents at the start, in the same order, with the votes of that moment: later ones come before
 * the first. No transaction is held in between, and each page is read with the polls of its moment:
 * if they have changed the file breaks off, because it would mix two lists of polls.
 */
export async function* allRespondents(
  db: Db,
  { campaignKey, until, part = PART }: { campaignKey: number; until: number; part?: number },
): AsyncGenerator<RespondentRow[]> {
  const slugs = await stepSlugs(db, campaignKey)
  let after: Paging['after'] = null
  do {
    const page: Slice<RespondentRow> = await respondentsOf(db, { campaignKey, until, paging: { limit: part, after } })
    after = page.next
    // A deleted campaign has no polls.
    if (String(await stepSlugs(db, campaignKey)) !== String(slugs)) throw exportOutdated()
    yield page.rows
  } while (after)
}

const stepSlugs = async (db: Db, campaignKey: number): Promise<string[]> =>
  (await stepsOf(db, campaignKey)).map(({ slug }) => slug)

/** The polls of a campaign that are not deleted, in order. */
const stepsOf = (db: Db, campaignKey: number) =>
  db
    .selectFrom('campaign_polls')
    .innerJoin('polls', 'polls.key', 'campaign_polls.poll_key')
    .select(['poll_key', 'slug'])
    .where('campaign_key', '=', campaignKey)
    .where('place', 'is not', null)
    .where('deleted_at', 'is', null)
    .orderBy('place')
    .execute()

/**
 * Each vote is looked up by its key. With two `in` lists SQLite would read every vote of every poll; in a join
 * PostgreSQL reads all votes while its statistics, until the next analyze, say that there are few.
 */
async function stepVotes(
  db: Db,
  campaignKey: number,
  respondentKeys: readonly number[],
): Promise<ReadonlyMap<number, StepVote[]>> {
  const polls = await stepsOf(db, campaignKey)
  const places = new Map(polls.map(({ poll_key, slug }, i) => [poll_key, { position: i + 1, slug }]))
  const votes = await db
    .selectFrom('campaign_respondents as respondent')
    .innerJoin('campaign_polls as member', (join) => join.on('member.campaign_key', '=', campaignKey))
    .select(({ selectFrom }) => [
      'respondent.key',
      'member.poll_key',
      // Both in one statement.
      selectFrom('device_votes as own')
        .select(sql<string>`option || voted_at`.as('vote'))
        .whereRef('own.poll_key', '=', 'member.poll_key')
        .whereRef('own.device', '=', 'respondent.device')
        .where(isRemembered('own'))
        .as('vote'),
    ])
    .where('respondent.key', 'in', respondentKeys)
    .where('member.place', 'is not', null)
    .execute()
  const steps = votes.flatMap(({ key, poll_key, vote }) => {
    const place = places.get(poll_key)
    if (!place || vote === null) return []
    return [{ key, vote: { ...place, option: vote.slice(0, 1) as OptionName, votedAt: Number(vote.slice(1)) } }]
  })
  const sorted = steps.toSorted((left, right) => left.vote.position - right.vote.position)
  const byRespondent = new Map<number, StepVote[]>(respondentKeys.map((key) => [key, []]))
  for (const { key, vote } of sorted) byRespondent.get(key)?.push(vote)
  return byRespondent
}
