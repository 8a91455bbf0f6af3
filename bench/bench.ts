import { BENCH_USAGE, type BenchArguments, defaultMost, readBenchArguments, UsageError } from './arguments.ts'
import { runToEnd } from './clean-up.ts'
import { describeMachine } from './machine.ts'
import { measurePages } from './pages/pages.ts'
import { isPinned } from './processes.ts'
import { writeSection } from './results-file.ts'
import { measureGrowth } from './scale/growth.ts'
import { measureListeners } from './scale/listeners.ts'
import { measureMemory } from './scale/memory.ts'
import { measureAgainst } from './workloads/against.ts'
import { CONNECTIONS, hasWrk } from './workloads/load.ts'
import { measureWorkloads, type Report } from './workloads/measure-workloads.ts'
import { measureWorst } from './worst/worst.ts'

const words = process.argv.slice(2)

interface Measure {
  measure(given: BenchArguments): Promise<Report>
  /** The part of the conditions that is not the same for every run. */
  readonly load?: string
  readonly isOnce?: boolean
}

const MEASURES: Readonly<Record<BenchArguments['mode'], Measure>> = {
  workloads: { measure: measureWorkloads },
  against: { measure: measureAgainst },
  growth: { measure: measureGrowth },
  memory: { measure: measureMemory, isOnce: true },
  listeners: { measure: measureListeners },
  pages: { measure: measurePages, load: 'one visitor', isOnce: true },
  worst: { measure: measureWorst, load: 'one request at a time', isOnce: true },
}

async function bench(given: BenchArguments): Promise<number> {
  const { measure, load = `${CONNECTIONS} connections`, isOnce } = MEASURES[given.mode]
  process.stdout.write(`load by ${hasWrk ? 'wrk' : 'bench/workloads/generator.ts, because there is no wrk'}, `)
  process.stdout.write(isPinned ? 'server and load on a core each\n' : 'nothing is pinned to a core\n')
  const { text, isRight, isWhole: isAll = true } = await measure(given)
  const command = ['npm run bench', ...(words.length > 0 ? ['--', ...words] : [])].join(' ')
  const rounds = isOnce ? '' : `, ${given.rounds} rounds of ${given.seconds} s in turn, medians`
  const isOnCores = isPinned && given.mode !== 'pages'
  const conditions = `${load}, ${isOnCores ? 'server on one core, load on another' : 'not pinned'}${rounds}`
  const head = `${await describeMachine(command)}\n- ${conditions}`
  process.stdout.write(`${head}\n\n${text}\n`)
  if (isAll && isWhole(given)) await writeSection(given.mode, `${head}\n\n${text}`)
  else process.stderr.write('not a whole run: bench/RESULTS.md stays as it is\n')
  return isRight ? 0 : 1
}

/** Only runs that anyone can repeat in full are written to the results. */
const isWhole = ({ mode, isQuick, only, engine, most }: BenchArguments): boolean =>
  !isQuick && only === null && engine === null && most >= defaultMost(mode)

await runToEnd(async () => {
  try {
    return await bench(readBenchArguments(words))
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`${error.message}\n${BENCH_USAGE}\n`)
    return 2
  }
})
