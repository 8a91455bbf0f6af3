import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Sides } from '../../../../embed/src/insight/intervals.ts'
import { KeptResults } from '../../base/cache.ts'
import { iso } from '../../base/clock.ts'
import { exportOutdated } from '../../base/errors.ts'
import { keysetSlice, type Slice } from '../../db/keyset.ts'
import type { Db, Engine } from '../../db/store.ts'
import type { Paging } from '../../http/paging.ts'
import { deviceName, isRemembered, rememberedVotes } from '../campaigns/respondents/forgotten.ts'
import type { RespondentIds } from '../people/tokens/device.ts'
import type { Respondent, VoterEvent } from './schema.ts'

export type RespondentRow = Awaited<ReturnType<typeof respondentsOf>>['rows'][number]

type Reader = Pick<Engine, 'db' | 'votesOf'>

interface RespondentQuery {
  readonly campaignKey: number
  readonly paging: Paging
  /** Leaves out the votes after it. */
  readonly until?: number
}

/**
 * A page of a campaign's respondents, newest first. The ledger maintains their order; their votes are read from
 * `votes`, so that a record is right after polls have joined or left.
 */
export async function respondentsOf(
  { db, votesOf }: Reader,
  { campaignKey, paging, until = Number.POSITIVE_INFINITY }: RespondentQuery,
) {
  const respondents = db
    .selectFrom('campaign_respondents')
    .select(['key', 'device'])
    .where('campaign_key', '=', campaignKey)
  const order = { sort: sql<number>`started_at`, key: sql<number>`key`, direction: 'desc', ...paging } as const
  const { rows, next } = await keysetSlice(db, respondents, order)
  if (rows.length === 0) return { rows: [], next }
  const polls = await stepsOf(db, campaignKey)
  const places = new Map(
    polls.map(({ poll_key, slug, code_list_key }, i) => [
      poll_key,
      { position: i + 1, slug, isByCode: code_list_key !== null },
    ]),
  )
  const asked = { pollKeys: [...places.keys()], devices: rows.map(({ device }) => device) }
  const votes = (await rememberedVotes({ votesOf }, db, asked)).flatMap(
    ({ poll_key, device, option, voted_at, forgotten_at }) => {
      const place = places.get(poll_key)
      return place && voted_at <= until
        ? [{ name: deviceName(device), forgotten_at, ...place, option, votedAt: voted_at }]
        : []
    },
  )
  const votesOfDevice = Map.groupBy(
    votes.sort((left, right) => left.position - right.position),
    ({ name }) => name,
  )
  const found = rows.flatMap(({ device }) => {
    // Without votes, because a poll was just deleted or a device forgotten: they leave the list soon.
    const own = votesOfDevice.get(deviceName(device))
    const [first] = own ?? []
    return own && first ? [{ device, forgottenAt: first.forgotten_at, isByCode: first.isByCode, votes: own }] : []
  })
  return { rows: found, next }
}

const RESPONDENTS = 200

/**
 * All respondents at the start, in the same order, with the votes of that moment: later ones come before
 * the first. No transaction is held in between, and each page is read with the polls of its moment:
 * if they have changed the file breaks off, because it would mix two lists of polls.
 */
export async function* allRespondents(
  reader: Reader,
  { campaignKey, until, part = RESPONDENTS }: { campaignKey: number; until: number; part?: number },
): AsyncGenerator<RespondentRow[]> {
  const { db } = reader
  const slugs = await stepSlugs(db, campaignKey)
  let after: Paging['after'] = null
  do {
    const paging: Paging = { limit: part, after }
    const page: Slice<RespondentRow> = await respondentsOf(reader, { campaignKey, until, paging })
    after = page.next
    // A deleted campaign has no polls.
    if (String(await stepSlugs(db, campaignKey)) !== String(slugs)) throw exportOutdated()
    yield page.rows
  } while (after)
}

const stepSlugs = async (db: Db, campaignKey: number): Promise<string[]> =>
  (await stepsOf(db, campaignKey)).map(({ slug }) => slug)

/** The polls of a campaign that are not deleted, in order. */
export const stepsOf = (db: Db, campaignKey: number) =>
  db
    .selectFrom('campaign_polls')
    .innerJoin('polls', 'polls.key', 'campaign_polls.poll_key')
    .select(['poll_key', 'slug', 'title', 'label_a', 'label_b', 'code_list_key'])
    .where('campaign_key', '=', campaignKey)
    .where('place', 'is not', null)
    .where('deleted_at', 'is', null)
    .orderBy('place')
    .execute()

export type VoterRow = Awaited<ReturnType<typeof readVoters>>[number]

/**
 * Positions have no gaps, so a part is a range of them. Both bounds are given, because until it is analysed again
 * PostgreSQL takes a growing poll for a small one, and would read and sort all of it for each part.
 */
async function readVoters(db: Db, { pollKey, below, limit }: { pollKey: number; below: number | null; limit: number }) {
  const end = below ?? (await lastPosition(db, pollKey)) + 1
  return db
    .selectFrom('votes')
    .leftJoin('forgotten_devices', 'forgotten_devices.device', 'votes.device')
    .select(['votes.device', 'votes.option', 'votes.voted_at', 'votes.position', 'forgotten_devices.forgotten_at'])
    .where('votes.poll_key', '=', pollKey)
    .where('votes.position', '<', end)
    .where('votes.position', '>=', end - limit)
    .orderBy('votes.position', 'desc')
    .execute()
}

async function lastPosition(db: Db, pollKey: number): Promise<number> {
  const row = await db
    .selectFrom('votes')
    .select(({ fn }) => fn.max<number | null>('position').as('last'))
    .where('poll_key', '=', pollKey)
    .executeTakeFirst()
  return row?.last ?? 0
}

/** A page of a poll's voters, highest position first. */
export async function votersOf(
  db: Db,
  { pollKey, paging: { after, limit } }: { pollKey: number; paging: Paging },
): Promise<Slice<VoterRow>> {
  const rows = await readVoters(db, { pollKey, below: after ? Number(after[0]) : null, limit: limit + 1 })
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return { rows: rows.slice(0, limit), next: last ? [last.position, 0] : null }
}

/** Small enough that a vote does not wait long for one part. */
const PART = 500

/**
 * All voters at the start, in the same order: later votes have higher positions. No transaction is
 * held in between. Positions have no gaps, so votes that are deleted meanwhile with their poll are noticed.
 */
export async function* allVoters(db: Db, pollKey: number, part = PART): AsyncGenerator<VoterRow[]> {
  let below: number | null = null
  do {
    const rows: VoterRow[] = await readVoters(db, { pollKey, below, limit: part })
    const first: number = below === null ? (rows[0]?.position ?? 0) : below - 1
    if (rows.some(({ position }, i) => position !== first - i) || rows.length < Math.min(part, first)) {
      throw new Error('votes were removed while they were exported')
    }
    below = first - rows.length + 1
    yield rows
  } while (below > 1)
}

export const presentRespondent = (
  { device, forgottenAt, isByCode, votes }: RespondentRow,
  idOf: RespondentIds,
): Respondent => ({
  respondentId: idOf(device, forgottenAt, isByCode),
  startedAt: iso(Math.min(...votes.map(({ votedAt }) => votedAt))),
  totalVotes: votes.length,
  votes: votes.map(({ position, slug, option, votedAt }) => ({ position, slug, option, votedAt: iso(votedAt) })),
})

interface Names {
  ofVoter(voter: Uint8Array, forgottenAt: number | null): string
  /** For a vote of a forgotten device. */
  ofVote(position: number): string
}

export function presentVoter({ device, option, voted_at, position, forgotten_at }: VoterRow, names: Names): VoterEvent {
  const isForgotten = forgotten_at !== null && voted_at <= forgotten_at
  const respondentId = isForgotten ? names.ofVote(position) : names.ofVoter(device, forgotten_at)
  return { respondentId, option, votedAt: iso(voted_at), position }
}

/** Votes that one statement looks up: SQLite blocks the event loop meanwhile. */
const LOOKED_UP_AT_ONCE = 5_000

/** Counts the votes that the responses of a campaign leave out because their devices were forgotten. */
export class Omissions {
  readonly #engine: Reader
  readonly #kept = new KeptResults<number>()

  constructor(engine: Reader) {
    this.#engine = engine
  }

  async of(campaignKey: number, now: number): Promise<number> {
    const { db } = this.#engine
    const pollKeys = (await stepsOf(db, campaignKey)).map(({ poll_key }) => poll_key)
    const lastForgotten = await lastForgottenAt(db)
    const firstVote = await firstVoteAt(db, pollKeys)
    if (firstVote === null || lastForgotten === null || lastForgotten < firstVote) return 0
    const key = [campaignKey, lastForgotten, ...pollKeys].join()
    return (await this.#kept.of(key, now, () => forgottenVotes(this.#engine, { pollKeys, firstVote }))).value
  }
}

async function lastForgottenAt(db: Db): Promise<number | null> {
  const devices = db.selectFrom('forgotten_devices').select(({ fn }) => fn.max<number | null>('forgotten_at').as('at'))
  return (await devices.executeTakeFirst())?.at ?? null
}

async function firstVoteAt(db: Db, pollKeys: readonly number[]): Promise<number | null> {
  if (pollKeys.length === 0) return null
  const row = await db
    .selectFrom('votes')
    .select(({ fn }) => fn.min<number | null>('voted_at').as('at'))
    .where('poll_key', 'in', pollKeys)
    .where('position', '=', 1)
    .executeTakeFirst()
  return row?.at ?? null
}

async function forgottenVotes(
  { db, votesOf }: Reader,
  { pollKeys, firstVote }: { pollKeys: readonly number[]; firstVote: number },
): Promise<number> {
  const most = Math.ceil(LOOKED_UP_AT_ONCE / pollKeys.length)
  let votes = 0
  for (let after: Uint8Array = new Uint8Array(0); ; await nextTurn()) {
    const rows = await db
      .selectFrom('forgotten_devices')
      .select('device')
      .where('device', '>', after)
      .where('forgotten_at', '>=', firstVote)
      .orderBy('device')
      .limit(most)
      .execute()
    const devices = rows.map(({ device }) => device)
    const found = await votesOf(db, { pollKeys, devices })
    votes += found.filter(({ voted_at, forgotten_at }) => forgotten_at !== null && voted_at <= forgotten_at).length
    const last = devices.at(-1)
    if (!last || devices.length < most) return votes
    after = last
  }
}

/** Votes that one statement looks at: SQLite blocks the event loop meanwhile. */
const VOTES_AT_ONCE = 4_000

/** Devices by the first two bytes of their hashes, which are random. Both ends are included. */
export interface DeviceRange {
  readonly from: number
  readonly to: number
}

/** Splits all devices into as many ranges of about the same number. */
export const deviceRanges = (count: number): DeviceRange[] =>
  Array.from({ length: count }, (_, i) => ({
    from: Math.ceil((i * 0x1_00_00) / count),
    to: Math.ceil(((i + 1) * 0x1_00_00) / count) - 1,
  }))

interface PollVotes {
  readonly pollKey: number
  /** The number of votes to read: later ones have higher positions. */
  readonly votes: number
  readonly devices?: DeviceRange
}

/** Reads the remembered votes of a poll in parts, and lets other requests pass in between. */
export async function* rememberedParts(db: Db, { pollKey, votes, devices }: PollVotes) {
  for (let after = 0; after < votes; after += VOTES_AT_ONCE) {
    const part = db
      .selectFrom('votes')
      .select(['device', 'option', 'voted_at', 'campaign_key'])
      .where('poll_key', '=', pollKey)
      .where('position', '>', after)
      .where('position', '<=', Math.min(after + VOTES_AT_ONCE, votes))
      .where(isRemembered)
    yield await (devices ? part.where(isWithin(devices)) : part).execute()
    await nextTurn()
  }
}

/** No index has this expression, so PostgreSQL cannot take the index of devices in place of the positions. */
const isWithin = ({ from, to }: DeviceRange) =>
  sql<boolean>`substr(votes.device, 1, 2) between ${twoBytes(from)} and ${twoBytes(to)}`

const twoBytes = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff])

/** The votes of these polls, those of forgotten devices included. A poll that is gone has none. */
export async function sidesOf(db: Db, pollKeys: readonly number[]): Promise<(pollKey: number) => Sides> {
  if (pollKeys.length === 0) return () => NO_VOTES
  const rows = await db
    .selectFrom('tallies')
    .select(['poll_key', 'option_a as optionA', 'option_b as optionB'])
    .where('poll_key', 'in', pollKeys)
    .execute()
  const sides = new Map(rows.map(({ poll_key, ...own }) => [poll_key, own]))
  return (pollKey) => sides.get(pollKey) ?? NO_VOTES
}

const NO_VOTES: Sides = { optionA: 0, optionB: 0 }
