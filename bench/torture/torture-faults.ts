import { noFindings } from '../../server/test/crash/audit.ts'
import { type FaultResult, FaultTest } from '../../server/test/crash/fault-rounds.ts'
import { findPostgres } from '../../server/test/crash/own-postgres.ts'
import { redisUrl } from '../../server/test/engines.ts'
import { atEnd } from '../clean-up.ts'
import { Progress } from '../progress.ts'
import { formatTable } from '../table.ts'

const FAULT_MS = 10_000
const HEALTHY_WITHIN_MS = 5_000
const SHOWN_FINDINGS = 10
const KINDS = ['lost', 'doubled', 'talliesOff', 'contradicted', 'otherwise'] as const

/** The neighbours of one server fail in turn, for ten seconds each. Exits with 1 if a promise of the guide to reliability is broken. */
export async function tortureByFaults(rounds: number, votes: number): Promise<number> {
  const programs = await findPostgres()
  if (!programs) {
    process.stdout.write('There is no initdb: this torture starts a PostgreSQL of its own\n')
    return 1
  }
  const test = await FaultTest.start({ programs, redisUrl }, atEnd)
  const results = new Map(test.faults.map(({ name }): [string, FaultResult[]] => [name, []]))
  const progress = new Progress(rounds)
  for (let round = 0; round < rounds; round++) {
    const fault = test.faults[round % test.faults.length]
    if (!fault) break
    progress.advance(0, fault.name)
    results.get(fault.name)?.push(await test.round(fault, { votes, faultMs: FAULT_MS }))
    progress.advance(1, fault.name)
  }
  progress.end()
  return report(results)
}

function report(results: ReadonlyMap<string, readonly FaultResult[]>): number {
  const rows = [...results].filter(([, all]) => all.length > 0).map(([name, all]) => rowOf(name, all))
  const all = [...results.values()].flat()
  const head = [
    '',
    'rounds',
    'acknowledged',
    'lost',
    'doubled',
    'checkpoints',
    'contradicted',
    'otherwise wrong',
    '503',
    'pictures',
    'uploads 503',
    'healthy after, median',
    'at most',
  ]
  process.stdout.write(`${formatTable(head, [...rows, rowOf('all', all)])}\n`)
  const findings = all.flatMap((result) => Object.values(result.findings).flat())
  for (const line of findings.slice(0, SHOWN_FINDINGS)) process.stdout.write(`${line}\n`)
  const late = all.filter(({ healthyMs }) => healthyMs > HEALTHY_WITHIN_MS).length
  process.stdout.write(`${all.length} rounds, ${findings.length} findings, ${late} times healthy only after 5 s\n`)
  return findings.length + late > 0 ? 1 : 0
}

function rowOf(name: string, all: readonly FaultResult[]): string[] {
  const findings = noFindings()
  for (const result of all) for (const kind of KINDS) findings[kind].push(...result.findings[kind])
  const sum = (of: (result: FaultResult) => number) => all.reduce((total, result) => total + of(result), 0)
  const times = all.map(({ healthyMs }) => healthyMs).toSorted((a, b) => a - b)
  const counts = [
    all.length,
    sum(({ acknowledged }) => acknowledged),
    findings.lost.length,
    findings.doubled.length,
    sum(({ checkpoints }) => checkpoints),
    findings.contradicted.length,
    findings.talliesOff.length + findings.otherwise.length,
    sum(({ refused }) => refused),
    sum(({ uploaded }) => uploaded),
    sum(({ refusedUploads }) => refusedUploads),
  ]
  const seconds = [times[Math.floor(times.length / 2)], times.at(-1)].map((ms) => `${((ms ?? 0) / 1_000).toFixed(1)} s`)
  return [name, ...counts.map((count) => count.toLocaleString('en')), ...seconds]
}
