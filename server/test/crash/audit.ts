import { sql } from 'kysely'
import { checkDatabase, databaseFaults } from '../../src/backup/check-database.ts'
import { iso } from '../../src/base/clock.ts'
import { OF_VOTES } from '../../src/cli/backup/check-content.ts'
import type { Opened } from '../../src/db/open.ts'
import { codeHash, codeVoter } from '../../src/features/codes/code.ts'
import { deviceOfUuid } from '../../src/features/people/tokens/device.ts'
import { expectStatus, type Home, inDatabase } from '../child-service.ts'
import type { Attempt, Told, Witness } from './witness.ts'

/** The violations, one line each; all empty if every promise was kept. */
export interface Findings {
  readonly lost: string[]
  readonly doubled: string[]
  readonly talliesOff: string[]
  /** Checkpoints of logs that contradict an earlier one or their votes. */
  readonly contradicted: string[]
  readonly otherwise: string[]
}

export const noFindings = (): Findings => ({ lost: [], doubled: [], talliesOff: [], contradicted: [], otherwise: [] })

export const isClean = (findings: Findings): boolean => Object.values(findings).every((lines) => lines.length === 0)

interface Round {
  readonly url: string
  readonly polls: readonly string[]
  readonly witness: Witness
}

/** The database, opened beside the server. */
type Stored = Pick<Opened, 'engine' | 'keys'>

export const audit = ({ home, ...round }: Round & { readonly home: Home }): Promise<Findings> =>
  inDatabase(home, async (opened) => {
    const findings = await auditStored(opened, round)
    findings.otherwise.push(...(await faultsIn(opened)))
    return findings
  })

/** Compares the answers to the voters with the stored votes and with the server's current answers. */
export async function auditStored(opened: Stored, { url, polls, witness }: Round): Promise<Findings> {
  const findings = noFindings()
  findings.doubled.push(...witness.doubled)
  findings.otherwise.push(...witness.contradictions)
  for (const poll of polls) await auditPoll({ opened, url, witness, poll }, findings)
  return findings
}

/** The findings of `tossup verify`: among others, votes by code that are not as many as the uses of codes. */
async function faultsIn({ engine }: Stored): Promise<string[]> {
  const select = async <Row>(query: string) => (await sql.raw<Row>(query).execute(engine.db)).rows
  const voteTables = engine.name === 'sqlite' ? ['votes', 'fresh_votes'] : ['votes']
  const lists = await select<{ used: number; uses: number }>(`
    select used, (select count(distinct hash) from polls join code_uses on code_uses.poll_key = polls.key
      where polls.code_list_key = code_lists.key) as uses from code_lists`)
  const breaches: string[] = []
  for (const { table, rule, breach } of OF_VOTES)
    for (const { key } of await select<{ key: number }>(breach)) breaches.push(`${table} of poll ${key}: ${rule}`)
  return [
    ...breaches,
    ...databaseFaults(await checkDatabase({ select, voteTables })),
    ...lists.filter(({ used, uses }) => used !== uses).map((list) => `a code list says ${text(list)}`),
  ]
}

interface OnePoll {
  readonly opened: Stored
  readonly url: string
  readonly witness: Witness
  readonly poll: string
}

const nameOf = (device: Uint8Array): string => Buffer.from(device).toString('hex')

async function auditPoll(one: OnePoll, findings: Findings): Promise<void> {
  const stored = await readPoll(one)
  auditVotes(one, stored.rows, findings)
  await auditTallies(one, stored, findings)
  auditUses(one, stored, findings)
  const gap = stored.rows.findIndex((row, i) => row.position !== i + 1)
  if (gap !== -1) findings.otherwise.push(`${one.poll}: position ${gap + 1} is ${stored.rows[gap]?.position}`)
}

function auditVotes({ opened, witness, poll }: OnePoll, rows: readonly VoteRow[], findings: Findings): void {
  const byDevice = new Map(rows.map((row) => [nameOf(row.device), row]))
  if (byDevice.size !== rows.length) findings.doubled.push(`${poll}: ${rows.length - byDevice.size} rows too many`)
  const sent = new Map<string, Attempt>()
  for (const attempt of witness.attempts) {
    if (attempt.poll !== poll) continue
    const device = nameOf(storedVoter(opened, attempt))
    const told = sent.has(device) ? undefined : witness.told(attempt)
    sent.set(device, attempt)
    const problem = told && differenceOf(told, byDevice.get(device))
    if (problem) findings.lost.push(`${poll} ${attempt.device}: ${problem}`)
  }
  const unsent = [...byDevice.keys()].filter((device) => !sent.has(device))
  if (unsent.length > 0) findings.otherwise.push(`${poll}: ${unsent.length} votes that nobody sent`)
  const counted = [...byDevice.keys()].flatMap((device) => sent.get(device)?.code ?? [])
  auditCodes({ attempts: [...sent.values()], counted, witness, poll }, findings)
}

interface Coded {
  readonly attempts: readonly Attempt[]
  /** The code of each stored vote. */
  readonly counted: readonly string[]
  readonly witness: Witness
  readonly poll: string
}

function auditCodes({ attempts, counted, witness, poll }: Coded, findings: Findings): void {
  const codes = new Set(counted)
  if (codes.size < counted.length) findings.doubled.push(`${poll}: ${counted.length - codes.size} codes counted twice`)
  const lost = attempts.filter((each) => each.code && witness.hasVoted(each) && !codes.has(each.code))
  for (const { code } of lost) findings.lost.push(`${poll}: no vote by code ${code}`)
}

const storedVoter = ({ keys }: Stored, { device, code }: Attempt): Uint8Array =>
  code ? codeVoter({ keys }, code, `uuid:${device}`) : deviceOfUuid(keys.device, device)

function differenceOf(told: Told, row: VoteRow | undefined): string | null {
  if (!row) return 'acknowledged and not there'
  const stored = { option: row.option, votedAt: iso(row.voted_at) }
  return Bun.deepEquals(stored, told) ? null : `${text(stored)}, but told ${text(told)}`
}

function auditUses({ opened, witness, poll }: OnePoll, { rows, uses }: StoredPoll, findings: Findings): void {
  const codes = new Set(witness.attempts.flatMap((each) => (each.poll === poll && each.code ? [each.code] : [])))
  const sent = new Set([...codes].map((code) => nameOf(codeHash(opened, code))))
  const unsent = uses.filter(({ hash }) => !sent.has(nameOf(hash)))
  if (unsent.length > 0) findings.otherwise.push(`${poll}: ${unsent.length} uses of codes that nobody sent`)
  if (codes.size > 0 && uses.length !== rows.length)
    findings.otherwise.push(`${poll}: ${rows.length} votes and ${uses.length} uses of codes`)
}

async function auditTallies({ url, poll }: OnePoll, { rows, tally }: StoredPoll, findings: Findings): Promise<void> {
  const a = rows.filter((row) => row.option === 'A').length
  const counted = { optionA: a, optionB: rows.length - a, total: rows.length }
  const stored = { optionA: tally.option_a, optionB: tally.option_b, total: tally.option_a + tally.option_b }
  const shown = await shownTallies(url, poll)
  if (!Bun.deepEquals(stored, counted)) findings.talliesOff.push(`${poll}: ${text(stored)} for ${text(counted)}`)
  if (!Bun.deepEquals(shown, counted)) findings.talliesOff.push(`${poll}: shows ${text(shown)} for ${text(counted)}`)
}

const text = (value: unknown): string => JSON.stringify(value)

type StoredPoll = Awaited<ReturnType<typeof readPoll>>
type VoteRow = StoredPoll['rows'][number]

async function readPoll({ opened, poll }: OnePoll) {
  const { db } = opened.engine
  const tally = await db
    .selectFrom('tallies')
    .innerJoin('polls', 'polls.key', 'tallies.poll_key')
    .selectAll('tallies')
    .where('polls.slug', '=', poll)
    .executeTakeFirstOrThrow()
  const rows = await db
    .selectFrom('votes')
    .selectAll()
    .where('poll_key', '=', tally.poll_key)
    .orderBy('position')
    .execute()
  const uses = await db.selectFrom('code_uses').select('hash').where('poll_key', '=', tally.poll_key).execute()
  return { rows, tally, uses }
}

async function shownTallies(url: string, poll: string): Promise<unknown> {
  const answer = await fetch(`${url}/api/rest/v1/polls/${poll}/tallies`)
  return ((await expectStatus(answer, 200)) as { data: { tallies: unknown } }).data.tallies
}
