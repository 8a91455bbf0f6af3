import { createHome } from '../../server/test/child-service.ts'
import { type Findings, isClean, noFindings } from '../../server/test/crash/audit.ts'
import { findPostgres, OwnPostgres } from '../../server/test/crash/own-postgres.ts'
import { CrashTest, type RoundResult } from '../../server/test/crash/rounds.ts'
import { ADMIN_URL } from '../../server/test/own-database.ts'
import { type EngineName, readTortureArguments, TORTURE_USAGE, UsageError } from '../arguments.ts'
import { atEnd, runToEnd } from '../clean-up.ts'
import { describeMachine } from '../machine.ts'
import { Progress } from '../progress.ts'
import { writeSection } from '../results-file.ts'
import { formatTable } from '../table.ts'
import { chooseEngines } from '../workloads/choose-engines.ts'
import { tortureByFaults } from './torture-faults.ts'

const SHOWN_FINDINGS = 10
const KINDS = ['lost', 'doubled', 'talliesOff', 'contradicted', 'otherwise'] as const
const PUBLISHED_ROUNDS = 100

interface Series {
  readonly name: string
  round(votes: number): Promise<RoundResult>
}

interface Total {
  rounds: number
  acknowledged: number
  checkpoints: number
  readonly findings: Findings
}

async function startCrashTest(adminUrl: string | null, servers = 1): Promise<CrashTest> {
  const home = await createHome(adminUrl)
  atEnd(() => home.remove())
  const crash = await CrashTest.start(home, {}, { servers })
  atEnd(() => crash.stop())
  return crash
}

async function serverSeries(engine: EngineName): Promise<Series> {
  const isOne = engine === 'sqlite'
  const crash = await startCrashTest(isOne ? null : ADMIN_URL, isOne ? 1 : 2)
  return {
    name: isOne ? 'kill -9 of Tossup on sqlite' : 'kill -9 of one of two on postgres',
    round: (votes) => crash.killServer(votes),
  }
}

async function databaseSeries(programs: string): Promise<Series> {
  const postgres = await OwnPostgres.create(programs)
  atEnd(() => postgres.remove())
  await postgres.start()
  const crash = await startCrashTest(postgres.url)
  return { name: 'kill -9 of PostgreSQL itself', round: (votes) => crash.killDatabase(votes, postgres) }
}

async function chooseSeries(engine: EngineName | null): Promise<Series[]> {
  const series: Series[] = []
  for (const name of await chooseEngines(engine)) series.push(await serverSeries(name))
  if (engine === 'sqlite') return series
  const programs = await findPostgres()
  if (programs) series.push(await databaseSeries(programs))
  else process.stdout.write('There is no initdb: kill -9 of PostgreSQL itself is skipped\n')
  return series
}

/** Between the least number and three times as many, so that the kill happens at a different moment each time. */
const randomVotes = (least: number): number => least + Math.floor(Math.random() * 2 * least)

const nothing = (): Total => ({ rounds: 0, acknowledged: 0, checkpoints: 0, findings: noFindings() })

function add(total: Total, { acknowledged, checkpoints, findings }: RoundResult): void {
  total.rounds++
  total.acknowledged += acknowledged
  total.checkpoints += checkpoints
  for (const kind of KINDS) total.findings[kind].push(...findings[kind])
}

function tableOf(totals: ReadonlyMap<string, Total>): string {
  const shown = ['lost', 'doubled', 'tallies off', 'checkpoints contradicted', 'otherwise wrong']
  const head = ['', 'rounds', 'acknowledged', 'checkpoints', ...shown]
  const rows = [...totals].map(([name, { rounds, acknowledged, checkpoints, findings }]) => {
    const counts = [rounds, acknowledged, checkpoints, ...KINDS.map((kind) => findings[kind].length)]
    return [name, ...counts.map((count) => count.toLocaleString('en'))]
  })
  return formatTable(head, rows)
}

async function torture(): Promise<number> {
  const { mode, rounds, votes, engine } = readTortureArguments(process.argv.slice(2))
  if (mode === 'faults') return tortureByFaults(rounds, votes)
  const series = await chooseSeries(engine)
  if (series.length === 0) return 1
  const progress = new Progress(rounds)
  const totals = new Map<string, Total>()
  const all = nothing()
  for (let round = 0; round < rounds; round++) {
    const { name, round: run } = series[round % series.length] as Series
    progress.advance(0, name)
    const total = totals.get(name) ?? nothing()
    totals.set(name, total)
    const result = await run(randomVotes(votes))
    add(total, result)
    add(all, result)
    progress.advance(1, name)
  }
  progress.end()
  return report(totals, all)
}

async function report(totals: Map<string, Total>, all: Total): Promise<number> {
  for (const [kind, lines] of Object.entries(all.findings))
    for (const line of lines.slice(0, SHOWN_FINDINGS)) process.stdout.write(`${kind}: ${line}\n`)
  const table = tableOf(totals.size > 1 ? new Map([...totals, ['all', all]]) : totals)
  process.stdout.write(`${table}\n`)
  if (all.rounds >= PUBLISHED_ROUNDS)
    await writeSection('torture', `${await describeMachine('npm run torture')}\n\n${table}`)
  const { lost, doubled, talliesOff, contradicted, otherwise } = all.findings
  process.stdout.write(
    `${all.rounds} rounds, ${all.acknowledged} acknowledged, ${lost.length} lost, ${doubled.length} doubled, ` +
      `${talliesOff.length} tallies off, ${contradicted.length} of ${all.checkpoints} checkpoints contradicted, ` +
      `${otherwise.length} otherwise wrong\n`,
  )
  return isClean(all.findings) ? 0 : 1
}

await runToEnd(async () => {
  try {
    return await torture()
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`${error.message}\n${TORTURE_USAGE}\n`)
    return 2
  }
})
