import { randomBytes } from 'node:crypto'
import type { Engine } from '../src/db/store.ts'
import { retryBusy } from '../src/db/transaction.ts'
import type { Ballot } from '../src/db/vote-store.ts'
import { decide } from '../src/features/votes/decide.ts'
import { everyPage } from './polls.ts'
import type { TestBrand, TestService } from './service.ts'

export interface VoterData {
  readonly respondentId: string
  readonly option: string
  readonly votedAt: string
  readonly position: number
}

type Owner = Pick<TestBrand, 'token'>

export const voters = (service: TestService, { token }: Owner, slug: string, limit = 100) =>
  everyPage<VoterData>(service, `brands/me/polls/${slug}/voters`, { ask: { token }, limit })

/** Casts many votes at once, through the ledger's own store. */
export const castMany = ({ deps }: TestService, pollKey: number, count: number): Promise<void> =>
  castInto(deps.engine, pollKey, count)

/** A transaction that takes seconds to decide is ended by PostgreSQL. */
const GROUP = 10_000

export async function castInto(engine: Engine, pollKey: number, count: number): Promise<void> {
  const ballots = Array.from(
    { length: count },
    (_, i): Ballot => ({ pollKey, device: randomBytes(16), option: i % 3 ? 'A' : 'B' }),
  )
  while (ballots.length > 0) {
    const group = ballots.splice(0, GROUP)
    const { durable } = await retryBusy(engine, () =>
      engine.votes.commit(group, (facts) => decide(group, facts), { mayDecideInDatabase: true }),
    )
    await durable
  }
}

/** The records of a CSV file without quotes, as objects. */
export function recordsOf(csv: string): Record<string, string>[] {
  const [head = '', ...lines] = csv.split('\r\n')
  if (lines.pop() !== '') throw new Error('the last line has no end')
  const names = head.split(',')
  return lines.map((line) => {
    const cells = line.split(',')
    if (cells.length !== names.length) throw new Error(`${line} has ${cells.length} cells`)
    return Object.fromEntries(names.map((name, i) => [name, cells[i] ?? '']))
  })
}

export const csvOf = (text: string): string => (/^[=+\-@＝＋－＠]/.test(text) ? `'${text}` : text)
