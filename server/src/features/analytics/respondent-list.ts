import { sql } from 'kysely'
import { exportOutdated } from '../../base/errors.ts'
import { keysetSlice, type Slice } from '../../db/keyset.ts'
import type { Db, Engine } from '../../db/store.ts'
import type { OptionName } from '../../db/tables.ts'
import type { Paging } from '../../http/paging.ts'
import { deviceName, rememberedVotes } from '../campaigns/respondents/forgotten.ts'

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

type Reader = Pick<Engine, 'db' | 'votesOf'>

interface RespondentQuery {
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
  reader: Reader,
  { campaignKey, paging, until = null }: RespondentQuery,
): Promise<Slice<RespondentRow>> {
  const { db } = reader
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
    reader,
    campaignKey,
    rows.map(({ device }) => device),
  )
  const isInTime = ({ votedAt }: StepVote) => until === null || votedAt <= until
  const found = rows.map(({ device }) => ({ device, votes: (votes.get(deviceName(device)) ?? []).filter(isInTime) }))
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
  reader: Reader,
  { campaignKey, until, part = PART }: { campaignKey: number; until: number; part?: number },
): AsyncGenerator<RespondentRow[]> {
  const { db } = reader
  const slugs = await stepSlugs(db, campaignKey)
  let after: Paging['after'] = null
  do {
    const page: Slice<RespondentRow> = await respondentsOf(reader, {
      campaignKey,
      until,
      paging: { limit: part, after },
    })
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

async function stepVotes(
  { db, votesOf }: Reader,
  campaignKey: number,
  devices: readonly Uint8Array[],
): Promise<ReadonlyMap<string, StepVote[]>> {
  const polls = await stepsOf(db, campaignKey)
  const places = new Map(polls.map(({ poll_key, slug }, i) => [poll_key, { position: i + 1, slug }]))
  const votes = await rememberedVotes({ votesOf }, db, { pollKeys: [...places.keys()], devices })
  const steps = votes.flatMap(({ poll_key, device, option, voted_at }) => {
    const place = places.get(poll_key)
    return place ? [{ name: deviceName(device), vote: { ...place, option, votedAt: voted_at } }] : []
  })
  const sorted = steps.toSorted((left, right) => left.vote.position - right.vote.position)
  return new Map(
    Map.groupBy(sorted, ({ name }) => name)
      .entries()
      .map(([name, own]) => [name, own.map(({ vote }) => vote)]),
  )
}
