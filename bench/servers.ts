import { ADMIN_URL } from '../server/test/own-database.ts'
import type { BenchArguments } from './arguments.ts'
import { DatabaseTime } from './database-time.ts'
import { Fleet } from './fleet.ts'
import { hasPostgres } from './has-postgres.ts'
import { withMachineShare } from './machine-time.ts'
import type { Report } from './measure-workloads.ts'
import { Progress } from './progress.ts'
import { isRightSample, takeCommonSample } from './sample.ts'
import { COUNTS, type FleetSample, hadRoom, type Measured, reportOfServers } from './servers-report.ts'
import { type Workload, workloads } from './workloads.ts'

const WARM_UP_SECONDS = 1
const MEASURED: readonly Workload['name'][] = ['hot', 'spread', 'reads']

/** Votes and reads of one, two and three servers on one PostgreSQL, which is a round trip away from each of them. */
export async function measureServers(given: BenchArguments): Promise<Report> {
  const { rounds, seconds, isQuick, only, roundTrip } = given
  if (!(await hasPostgres(ADMIN_URL))) throw new Error('PostgreSQL does not answer')
  const chosen = chosenFrom(only)
  const warmUps = isQuick ? [] : [WARM_UP_SECONDS]
  const progress = new Progress(rounds * COUNTS.length * chosen.length * (warmUps.length * WARM_UP_SECONDS + seconds))
  const fleet = await Fleet.start(roundTrip)
  const time = await DatabaseTime.open(fleet.databaseUrl)
  const run = sampler({ fleet, time, progress })
  const measured: Measured = new Map(chosen.map(({ name }) => [name, new Map(COUNTS.map((count) => [count, []]))]))
  for (let round = 0; round < rounds; round++) {
    // Alternating order, so that drift over the run favours no number of servers, and most of them go on.
    for (const count of round % 2 === 0 ? COUNTS : COUNTS.toReversed()) {
      await fleet.resize(count)
      for (const workload of chosen) {
        for (const length of warmUps) await run(workload, length)
        const samples = measured.get(workload.name)?.get(count)
        samples?.push(await run(workload, seconds))
      }
    }
  }
  progress.end()
  await time.close()
  await fleet.stop()
  return reportOn(measured, roundTrip)
}

function chosenFrom(only: string | null): readonly Workload[] {
  const names = only === null ? MEASURED : only.split(',')
  return workloads.filter(({ name }) => MEASURED.includes(name) && names.includes(name))
}

interface Place {
  readonly fleet: Fleet
  readonly time: DatabaseTime
  readonly progress: Progress
}

const sampler =
  ({ fleet, time, progress }: Place) =>
  async (workload: Workload, seconds: number): Promise<FleetSample> => {
    const { servers } = fleet
    const [first] = servers
    if (!first) throw new Error('no server is there')
    const what = `${workload.title}, ${servers.length} at once`
    progress.advance(0, what)
    const plan = await workload.plan(first)
    let machine = Number.NaN
    const sample = await takeCommonSample(servers, {
      plan,
      seconds,
      async metered(load) {
        const { result, share } = await withMachineShare(() => time.during(load))
        machine = share
        return result
      },
    })
    progress.advance(seconds, what)
    return { sample, database: time.microseconds / (sample.perSecond * seconds), machine }
  }

function reportOn(measured: Measured, roundTrip: number): Report {
  const samples = [...measured.values()].flatMap((byCount) => [...byCount.values()].flat())
  const isWhole = hadRoom(measured)
  if (!isWhole) process.stdout.write('The machine was busy, so the ratios of the votes say nothing about servers\n')
  return {
    text: reportOfServers(measured, roundTrip),
    isRight: samples.every(({ sample }) => isRightSample(sample)),
    isWhole,
  }
}
