import { sql } from 'kysely'
import { exportOutdated } from '../../base/errors.ts'
import { keysetSlice, type Slice } from '../../db/keyset.ts'
import type { Db } from '../../db/store.ts'
import type { OptionName } from '../../db/tables.ts'
import type { Paging } from '../../http/page.ts'
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
 * A page of those who voted in a campaign, newest first. Their order is kept by the ledger; their votes are read from the
 * votes themselves, so that what is said of a respondent is right whatever has joined or left since.
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
  // A poll was deleted or a device forgotten a moment ago, and with it all votes of these: they leave the list shortly.
  return { rows: found.filter((respondent) => respondent.votes.length > 0), next }
}

const PART = 200

/**
 * All who had voted at that moment, in the same order, with the votes that they had then: who comes later stands before
 * the first. No transaction is held in between, and each page is read with the polls that there are by then:
 * where those have changed the file breaks off, as it would hold some respondents with these polls and some with others.
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
    // A campaign that is deleted has no polls any more.
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
 * Each vote is looked up by itself. Given two lists to choose from, SQLite would read every vote of every poll; in a join
 * PostgreSQL reads all votes of everybody where it takes them for few, which it does until it has counted them anew.
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
      // Both in one, which is looked up once.
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
