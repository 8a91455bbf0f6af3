import { parseArgs } from 'node:util'

export type EngineName = 'sqlite' | 'postgres'

export class UsageError extends Error {}

interface Numbers {
  readonly fallback: number
  readonly least: number
}

function readNumber(name: string, text: string | undefined, { fallback, least }: Numbers): number {
  if (text === undefined) return fallback
  const value = Number(text.replaceAll('_', ''))
  if (!Number.isInteger(value) || value < least)
    throw new UsageError(`--${name} takes a whole number from ${least} on.`)
  return value
}

function readEngine(text: string | undefined): EngineName | null {
  if (text === undefined) return null
  if (text !== 'sqlite' && text !== 'postgres') throw new UsageError('--engine takes sqlite or postgres.')
  return text
}

export const BENCH_USAGE = `npm run bench -- [--only NAME,…] [--engine sqlite|postgres] [--rounds N] [--seconds N] [--quick]
npm run bench -- --against REV [--most N] [--only NAME,…] [--engine …] [--rounds N] [--seconds N] [--quick]
npm run bench -- --growth [--most N] [--engine …] [--rounds N] [--seconds N] [--quick]
npm run bench -- --memory [--most N] [--engine …]
npm run bench -- --listeners [--most N] [--engine …] [--rounds N] [--seconds N] [--quick]
npm run bench -- --pages [--quick]
npm run bench -- --worst [--only OPERATION,…] [--engine …] [--rounds N]`

const MODES = ['against', 'growth', 'memory', 'listeners', 'pages', 'worst'] as const
type Mode = 'workloads' | (typeof MODES)[number]

/** The number of votes, or of listeners. */
export const defaultMost = (mode: Mode): number => ({ listeners: 10_000, against: 10_000 })[mode as string] ?? 1_000_000

export interface BenchArguments {
  readonly mode: Mode
  /** The commit to compare with. */
  readonly against: string
  readonly isQuick: boolean
  readonly only: string | null
  /** Null means both engines. */
  readonly engine: EngineName | null
  readonly rounds: number
  readonly seconds: number
  readonly most: number
}

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const

export function readBenchArguments(args: readonly string[]): BenchArguments {
  const modes = { against: text, growth: flag, memory: flag, listeners: flag, pages: flag, worst: flag } as const
  const options = { ...modes, quick: flag, only: text, engine: text, rounds: text, seconds: text, most: text } as const
  const { values } = orUsage(() => parseArgs({ args: [...args], options }))
  const [mode = 'workloads', ...more] = MODES.filter((name) => values[name] !== undefined)
  if (more.length > 0) throw new UsageError(`--${[mode, ...more].join(' and --')} are runs of their own.`)
  const isQuick = values.quick ?? false
  return {
    mode,
    against: values.against ?? '',
    isQuick,
    only: values.only ?? null,
    engine: readEngine(values.engine),
    rounds: readNumber('rounds', values.rounds, { fallback: isQuick ? 1 : 5, least: 1 }),
    seconds: readNumber('seconds', values.seconds, { fallback: isQuick ? 1 : 4, least: 1 }),
    most: readNumber('most', values.most, { fallback: defaultMost(mode), least: mode === 'listeners' ? 1 : 1_000 }),
  }
}

export const TORTURE_USAGE = `npm run torture -- [--rounds N] [--votes N] [--engine sqlite|postgres]
npm run torture -- --faults [--rounds N] [--votes N]`

export interface TortureArguments {
  readonly mode: 'kills' | 'faults'
  readonly rounds: number
  /** The least number of votes to acknowledge in each round before the kill. */
  readonly votes: number
  readonly engine: EngineName | null
}

export function readTortureArguments(args: readonly string[]): TortureArguments {
  const options = { rounds: text, votes: text, engine: text, faults: flag } as const
  const { values } = orUsage(() => parseArgs({ args: [...args], options }))
  return {
    mode: values.faults ? 'faults' : 'kills',
    rounds: readNumber('rounds', values.rounds, { fallback: values.faults ? 50 : 100, least: 1 }),
    votes: readNumber('votes', values.votes, { fallback: 1_000, least: 1 }),
    engine: readEngine(values.engine),
  }
}

function orUsage<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}
