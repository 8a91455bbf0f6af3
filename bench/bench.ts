import {
  BENCH_USAGE,
  type BenchArguments,
  DEFAULT_ROUND_TRIP,
  defaultMost,
  readBenchArguments,
  UsageError,
} from './arguments.ts'
import { measureBackup } from './backup.ts'
import { measureCache } from './cache.ts'
import { measureCitus } from './citus.ts'
import { runToEnd } from './clean-up.ts'
import { measureConsole } from './console.ts'
import { measureDay } from './day.ts'
import { measureExport } from './export.ts'
import { measureGrowth } from './growth.ts'
import { measureListeners } from './listeners.ts'
import { CONNECTIONS, hasWrk } from './load.ts'
import { describeMachine } from './machine.ts'
import { measurePages } from './measure-pages.ts'
import { measureWorkloads, type Report } from './measure-workloads.ts'
import { measureMemory } from './memory.ts'
import { isPinned } from './processes.ts'
import { measureResponses } from './responses.ts'
import { type SectionName, writeSection } from './results-file.ts'
import { measureScale } from './scale.ts'
import { measureServers } from './servers.ts'
import { measureStuffing } from './stuffing.ts'
import { measureSummary } from './summary.ts'
import { measureThreads } from './threads.ts'
import { measureUploads } from './uploads.ts'
import { measureWebhooks } from './webhooks.ts'
import { type Workload, workloads } from './workloads.ts'
import { measureWorst } from './worst.ts'

const words = process.argv.slice(2)

async function bench(given: BenchArguments): Promise<number> {
  const chosen = given.mode === 'worst' ? [] : chooseWorkloads(given.only)
  process.stdout.write(`load by ${hasWrk ? 'wrk' : 'bench/generator.ts, because there is no wrk'}, `)
  process.stdout.write(isPinned ? 'server and load on a core each\n' : 'nothing is pinned to a core\n')
  const { text, isRight, isWhole: isAll = true } = await measure(given, chosen)
  const command = ['npm run bench', ...(words.length > 0 ? ['--', ...words] : [])].join(' ')
  const rounds = ONCE.has(given.mode) ? '' : `, ${given.rounds} rounds of ${given.seconds} s in turn, medians`
  const connections = CONNECTIONS_OF[given.mode] ?? `${CONNECTIONS} connections`
  const isOnCores = isPinned && !NOT_PINNED.has(given.mode)
  const conditions = `${connections}, ${isOnCores ? 'server on one core, load on another' : 'not pinned'}`
  const head = `${await describeMachine(command)}\n- ${conditions}${rounds}`
  process.stdout.write(`${head}\n\n${text}\n`)
  if (isAll && isWhole(given)) await writeSection(sectionOf(given), `${head}\n\n${text}`)
  else process.stderr.write('not a whole run: bench/RESULTS.md stays as it is\n')
  return isRight ? 0 : 1
}

const ONCE: ReadonlySet<BenchArguments['mode']> = new Set([
  'memory',
  'responses',
  'uploads',
  'export',
  'stuffing',
  'pages',
  'summary',
  'console',
  'worst',
])

const NOT_PINNED: ReadonlySet<BenchArguments['mode']> = new Set(['pages', 'console', 'threads'])

const CONNECTIONS_OF: Partial<Record<BenchArguments['mode'], string>> = {
  day: 'a connection for each waiting vote',
  responses: 'one request at a time',
  summary: 'one request at a time',
  export: 'one reader, four voters',
  cache: '32 requests at a time',
  worst: 'one request at a time',
  stuffing: '16 votes at a time',
  pages: 'one visitor',
  console: 'one person, nothing cached, median of 3 visits',
  servers: `${CONNECTIONS} connections to each server`,
}

const MEASURES: Partial<Record<BenchArguments['mode'], (given: BenchArguments) => Promise<Report>>> = {
  growth: measureGrowth,
  memory: measureMemory,
  responses: measureResponses,
  listeners: measureListeners,
  uploads: measureUploads,
  export: measureExport,
  backup: measureBackup,
  webhooks: measureWebhooks,
  cache: measureCache,
  stuffing: measureStuffing,
  pages: measurePages,
  summary: measureSummary,
  console: measureConsole,
  worst: measureWorst,
  scale: measureScale,
  citus: measureCitus,
  day: measureDay,
  servers: measureServers,
  threads: measureThreads,
}

const measure = (given: BenchArguments, chosen: readonly Workload[]): Promise<Report> =>
  MEASURES[given.mode]?.(given) ?? measureWorkloads(given, chosen)

/** Only runs that anyone can repeat in full are written to the results. */
const isWhole = ({ mode, isQuick, only, engine, most, roundTrip }: BenchArguments): boolean =>
  !isQuick && only === null && engine === null && most >= defaultMost(mode) && roundTrip === DEFAULT_ROUND_TRIP

const sectionOf = ({ mode }: BenchArguments): SectionName => mode

function chooseWorkloads(only: string | null): readonly Workload[] {
  if (only === null) return workloads
  const wanted: readonly string[] = only.split(',')
  const chosen = workloads.filter(({ name }) => wanted.includes(name))
  if (chosen.length < wanted.length)
    throw new UsageError(`--only takes some of ${workloads.map(({ name }) => name).join(', ')}.`)
  return chosen
}

await runToEnd(async () => {
  try {
    return await bench(readBenchArguments(words))
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`${error.message}\n${BENCH_USAGE}\n`)
    return 2
  }
})
