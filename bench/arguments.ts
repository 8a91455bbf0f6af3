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

export const BENCH_USAGE = `npm run bench -- [--quick] [--only NAME,…] [--engine sqlite|postgres] [--rounds N] [--seconds N]
npm run bench -- --growth [--most N] [--engine …] [--rounds N] [--seconds N] [--quick]
npm run bench -- --memory [--engine …] [--most N]
npm run bench -- --responses [--engine …] [--most N]
npm run bench -- --listeners [--engine …] [--most N] [--rounds N] [--seconds N] [--quick]
npm run bench -- --uploads [--engine …] [--seconds N] [--quick]
npm run bench -- --export [--engine …] [--most N]
npm run bench -- --backup [--engine …] [--most N] [--rounds N] [--seconds N]
npm run bench -- --webhooks [--engine …] [--rounds N] [--seconds N] [--quick]
npm run bench -- --cache [--rounds N] [--seconds N] [--quick]
npm run bench -- --stuffing [--engine …] [--seconds N] [--quick]
npm run bench -- --pages [--quick]
npm run bench -- --summary [--engine …] [--most N]
npm run bench -- --console [--engine …] [--most N] [--quick]
npm run bench -- --worst [--only OPERATION,…] [--engine …] [--rounds N]
npm run bench -- --scale [--rounds N] [--seconds N] [--quick]
npm run bench -- --citus [--rounds N] [--seconds N] [--quick]
npm run bench -- --day [--engine …] [--rounds N] [--seconds N] [--quick]
npm run bench -- --threads [--rounds N] [--seconds N] [--quick]
npm run bench -- --servers [--only NAME,…] [--round-trip MS] [--rounds N] [--seconds N] [--quick]`

const MODES = [
  'growth',
  'memory',
  'responses',
  'listeners',
  'uploads',
  'export',
  'backup',
  'webhooks',
  'cache',
  'stuffing',
  'pages',
  'summary',
  'console',
  'worst',
  'scale',
  'citus',
  'day',
  'servers',
  'threads',
] as const
type Mode = 'workloads' | (typeof MODES)[number]

/** The number of votes, or of listeners. */
export const defaultMost = (mode: Mode): number => MOST[mode] ?? 1_000_000

const MOST: Partial<Record<Mode, number>> = { listeners: 10_000, backup: 10_000_000 }

/** Between each of several servers and their database, in milliseconds. */
export const DEFAULT_ROUND_TRIP = 20

export interface BenchArguments {
  readonly mode: Mode
  readonly isQuick: boolean
  readonly only: string | null
  /** Null means both engines. */
  readonly engine: EngineName | null
  readonly rounds: number
  readonly seconds: number
  readonly most: number
  readonly roundTrip: number
}

export function readBenchArguments(args: readonly string[]): BenchArguments {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const options = {
    quick: flag,
    growth: flag,
    memory: flag,
    responses: flag,
    listeners: flag,
    uploads: flag,
    export: flag,
    backup: flag,
    webhooks: flag,
    cache: flag,
    stuffing: flag,
    pages: flag,
    summary: flag,
    console: flag,
    worst: flag,
    scale: flag,
    citus: flag,
    day: flag,
    servers: flag,
    threads: flag,
    only: text,
    engine: text,
    rounds: text,
    seconds: text,
    most: text,
    'round-trip': text,
  }
  const { values } = orUsage(() => parseArgs({ args: [...args], options }))
  const [mode = 'workloads', ...more] = MODES.filter((name) => values[name])
  if (more.length > 0) throw new UsageError(`--${[mode, ...more].join(' and --')} are runs of their own.`)
  const isQuick = values.quick ?? false
  return {
    mode,
    isQuick,
    only: values.only ?? null,
    engine: readEngine(values.engine),
    rounds: readNumber('rounds', values.rounds, { fallback: isQuick ? 1 : 5, least: 1 }),
    seconds: readNumber('seconds', values.seconds, { fallback: isQuick ? 1 : 4, least: 1 }),
    most: readNumber('most', values.most, { fallback: defaultMost(mode), least: mode === 'listeners' ? 1 : 1_000 }),
    roundTrip: readNumber('round-trip', values['round-trip'], { fallback: DEFAULT_ROUND_TRIP, least: 0 }),
  }
}

export const TORTURE_USAGE = `npm run torture -- [--rounds N] [--votes N] [--engine sqlite|postgres]
npm run torture -- --webhooks [--events N] [--engine …]
npm run torture -- --faults [--rounds N] [--votes N]`

export const PUBLISHED_EVENTS = 20_000

export interface TortureArguments {
  readonly mode: 'votes' | 'webhooks' | 'faults'
  readonly rounds: number
  /** The least number of votes to acknowledge in each round before the kill. */
  readonly votes: number
  /** The least number of events to acknowledge before a round of webhooks ends. */
  readonly events: number
  readonly engine: EngineName | null
}

export function readTortureArguments(args: readonly string[]): TortureArguments {
  const text = { type: 'string' } as const
  const chosen = { type: 'boolean' } as const
  const options = { rounds: text, votes: text, events: text, engine: text, webhooks: chosen, faults: chosen } as const
  const { values } = orUsage(() => parseArgs({ args: [...args], options }))
  if (values.webhooks && values.faults) throw new UsageError('--webhooks and --faults cannot be combined')
  const other = values.faults ? 'faults' : 'votes'
  return {
    mode: values.webhooks ? 'webhooks' : other,
    rounds: readNumber('rounds', values.rounds, { fallback: values.faults ? 50 : 100, least: 1 }),
    votes: readNumber('votes', values.votes, { fallback: 1_000, least: 1 }),
    events: readNumber('events', values.events, { fallback: PUBLISHED_EVENTS, least: 1 }),
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
