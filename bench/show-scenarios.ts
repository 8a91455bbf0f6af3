import { type Place, type Played, play } from './day-simulator.ts'
import { atEightFifteen, trafficOf } from './day-traffic.ts'
import { type Costs, mostThroughCdn, SUPPOSED } from './scale-model.ts'
import { percent, short, time } from './short-figures.ts'
import { count, formatTable } from './table.ts'

const MILLION = 1_000_000

interface Scenario {
  readonly votes: number
  readonly engine: 'sqlite' | 'postgres'
  readonly servers: number
  readonly hasCdn: boolean
}

const SCENARIOS: readonly Scenario[] = [
  { votes: MILLION / 10, engine: 'sqlite', servers: 1, hasCdn: true },
  { votes: MILLION, engine: 'sqlite', servers: 1, hasCdn: true },
  { votes: MILLION, engine: 'postgres', servers: 1, hasCdn: true },
  { votes: MILLION, engine: 'sqlite', servers: 1, hasCdn: false },
  { votes: 2 * MILLION, engine: 'sqlite', servers: 1, hasCdn: true },
  { votes: 2 * MILLION, engine: 'postgres', servers: 1, hasCdn: true },
  { votes: 10 * MILLION, engine: 'postgres', servers: 1, hasCdn: true },
  { votes: 10 * MILLION, engine: 'postgres', servers: 4, hasCdn: true },
]
/** Of all other polls, on the day of the show. */
const OTHER_VOTES = MILLION

export function placeOf(costs: Costs, { engine, servers }: Pick<Scenario, 'engine' | 'servers'>): Place {
  const { hotPerSecond, hotMicroseconds } = costs[engine]
  return {
    servers,
    votesPerSecond: hotPerSecond,
    serverMicroseconds: hotMicroseconds,
    databaseMicroseconds: engine === 'postgres' ? costs.postgres.hotDatabaseMicroseconds : 0,
    readMicroseconds: 1e6 / costs.readsPerSecond,
    streamMicroseconds: costs.streamMicroseconds,
  }
}

function playShow(costs: Costs, scenario: Scenario): Played {
  const { viewsPerVote, staySeconds } = SUPPOSED
  const traffic = trafficOf({
    votes: OTHER_VOTES,
    shows: [atEightFifteen(scenario.votes)],
    viewsPerVote,
    mostReads: scenario.hasCdn ? mostThroughCdn : null,
    staySeconds,
    seed: 1,
  })
  return play(placeOf(costs, scenario), traffic)
}

const ENGINES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const
const NAMES = { server: 'server', database: 'database', ledger: 'votes/s of the database' } as const

/** A day with a show, by what answers it. */
export function showsTable(costs: Costs): string {
  const head = [
    ...['votes of the show', 'servers', 'CDN', 'stored within 1 s', 'longest wait', 'kept in browsers', 'answers 503'],
    ...['server', 'database', 'saturates first'],
  ]
  return formatTable(
    head,
    SCENARIOS.map((scenario) => {
      const played = playShow(costs, scenario)
      const { engine, servers, hasCdn, votes } = scenario
      return [
        count(votes),
        `${servers}, ${ENGINES[engine]}`,
        hasCdn ? 'yes' : 'no',
        percent(1 - (played.arrived - played.storedWithinSecond) / votes),
        time(played.longestWaitSeconds),
        percent(played.kept / votes),
        short(played.refusals),
        percent(played.busiest.server),
        engine === 'sqlite' ? '' : percent(played.busiest.database),
        played.saturatesFirst ? NAMES[played.saturatesFirst] : 'nothing',
      ]
    }),
  )
}
