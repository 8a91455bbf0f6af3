import { checksOf, type Sample } from './sample.ts'
import { median, medianRatio } from './statistics.ts'
import { count, formatTable, milliseconds, ratio } from './table.ts'
import { type Target, targetHead, targetRow } from './targets.ts'
import type { Workload } from './workloads.ts'

export const COUNTS = [1, 2, 3] as const
type Count = (typeof COUNTS)[number]

export interface FleetSample {
  readonly sample: Sample
  /** Processor time of the database's backends for each request. */
  readonly database: number
  /** The part of all cores of the machine that was used, by any program. */
  readonly machine: number
}

/** By workload and number of servers, the samples of all rounds. */
export type Measured = ReadonlyMap<Workload['name'], ReadonlyMap<Count, FleetSample[]>>

const VOTES = ['hot', 'spread'] as const
const SEVERAL = [2, 3] as const

const TITLES: Partial<Record<Workload['name'], string>> = {
  hot: 'votes on one poll',
  spread: 'votes over 100 polls',
  reads: 'reads of a poll',
}

/** The row of the results, which `docs/guides/scale.md` reads too. */
export const rowOfServers = (name: Workload['name'], servers: Count): string =>
  `${TITLES[name]}, ${servers === 1 ? '1 server' : `${servers} servers`}`

export function reportOfServers(measured: Measured, roundTripMs: number): string {
  const targets = formatTable(targetHead, targetsOf(measured).map(targetRow))
  return [tableOf(measured), legend(roundTripMs), targets].join('\n\n')
}

const MOST_OF_MACHINE = 0.85

/** False if cores, not the round trip, may have limited the votes: then the ratios show how busy the machine was. */
export const hadRoom = (measured: Measured): boolean =>
  VOTES.every((name) =>
    COUNTS.every((servers) => {
      const samples = measured.get(name)?.get(servers) ?? []
      return samples.length === 0 || median(samples.map(({ machine }) => machine)) <= MOST_OF_MACHINE
    }),
  )

const legend = (
  roundTripMs: number,
) => `Each server is a process of its own with a load of its own, and reaches PostgreSQL through a proxy that adds a round trip of ${roundTripMs} ms.
So votes wait for the network and not for a core, although all servers share one. "machine" is the part of all cores that was in use: a run in which the votes
needed more than ${MOST_OF_MACHINE * 100} % is not written here, because the machine would have been the limit. "ratio" is requests/s against one server in the same round.

Reads come from the memory of a server and wait for nothing, so several servers on one core cannot answer more than one of them. For reads, "by CPU" counts: what
the servers answer if each has a core, from the processor time of all of them for each read, compared in the same round.

"server µs" is the processor time of all servers for each request, "database µs" that of all backends of the database, both while the load runs: the votes that the
bench counts before and after are not in them. After each run with votes, the rows and
the tallies that every server shows are compared with the votes that were acknowledged.`

const cpuOf = ({ sample }: FleetSample): number => sample.cpu ?? Number.NaN
const speedOf = ({ sample }: FleetSample): number => sample.perSecond

function tableOf(measured: Measured): string {
  const head = ['', 'requests/s', 'ratio', 'by CPU', 'server µs', 'database µs', 'machine', 'p50 ms', 'p99 ms', 'votes']
  const rows = [...measured].flatMap(([name, byCount]) =>
    COUNTS.map((servers) => {
      const own = byCount.get(servers) ?? []
      const middle = (pick: (one: FleetSample) => number) => median(own.map(pick))
      return [
        rowOfServers(name, servers),
        count(middle(speedOf)),
        servers === 1 ? '' : ratio(gain(measured, name, servers) ?? Number.NaN),
        servers === 1 ? '' : ratio(gainByCpu(measured, name, servers) ?? Number.NaN),
        middle(cpuOf).toFixed(1),
        middle(({ database }) => database).toFixed(1),
        `${(middle(({ machine }) => machine) * 100).toFixed(0)} %`,
        milliseconds(middle(({ sample }) => sample.p50)),
        milliseconds(middle(({ sample }) => sample.p99)),
        checksOf(own.map(({ sample }) => sample)),
      ]
    }),
  )
  return formatTable(head, rows)
}

type Pick = (one: FleetSample) => number

/** The values of several servers and of one, by round; null if they were not measured. */
function compared(measured: Measured, name: Workload['name'], servers: Count) {
  const [own, one] = [measured.get(name)?.get(servers), measured.get(name)?.get(1)]
  if (!own?.length || !one?.length) return null
  return (pick: Pick) => [own.map(pick), one.map(pick)] as const
}

const gain = (measured: Measured, name: Workload['name'], servers: Count): number | null => {
  const values = compared(measured, name, servers)
  return values && medianRatio(...values(speedOf))
}

/** As many cores as servers, each read at the processor time that was measured. */
const gainByCpu = (measured: Measured, name: Workload['name'], servers: Count): number | null => {
  const values = compared(measured, name, servers)
  if (!values) return null
  const [own, one] = values(cpuOf)
  return servers * medianRatio(one, own)
}

const databaseRatio = (measured: Measured, name: Workload['name'], servers: Count): number | null => {
  const values = compared(measured, name, servers)
  return values && medianRatio(...values(({ database }) => database))
}

/** The worst round of all votes. */
function leastGain(measured: Measured): number | null {
  const ratios = VOTES.flatMap((name) =>
    SEVERAL.flatMap((servers) => {
      const values = compared(measured, name, servers)
      if (!values) return []
      const [own, one] = values(speedOf)
      return own.map((speed, round) => speed / (one[round] ?? Number.NaN))
    }),
  )
  return ratios.length === 0 ? null : Math.min(...ratios)
}

const LEAST = { 2: 1.5, 3: 1.9 } as const

function targetsOf(measured: Measured): Target[] {
  const votes = VOTES.flatMap((name) =>
    SEVERAL.map((servers) => ({
      what: `${rowOfServers(name, servers)}, against one`,
      least: LEAST[servers],
      measured: gain(measured, name, servers),
    })),
  )
  const reads = SEVERAL.map((servers) => ({
    what: `${rowOfServers('reads', servers)}, against one, by processor time`,
    least: 1.8,
    measured: gainByCpu(measured, 'reads', servers),
  }))
  const costs = VOTES.map((name) => ({
    what: `database µs of ${rowOfServers(name, 3)}, against one`,
    least: 1.2,
    isCeiling: true,
    measured: databaseRatio(measured, name, 3),
  }))
  const worst = {
    what: 'votes/s of several servers against one, in the worst round',
    least: 1,
    measured: leastGain(measured),
  }
  return [...votes, worst, ...reads, ...costs]
}
