import { OwnRedis } from '../server/test/own-redis.ts'
import type { BenchArguments } from './arguments.ts'
import { atEnd } from './clean-up.ts'
import { cpuMicroseconds } from './processes.ts'
import { checksOf, isRightSample, type Sample, takeSample } from './sample.ts'
import { median } from './statistics.ts'
import { hotVotes, startTossup } from './subjects.ts'
import { count, formatTable } from './table.ts'

const WARM_UP_SECONDS = 1
/** Counted as by default. All votes of the load come from one network, and are fewer than this within a minute. */
const LIMITS = { NETWORK_VOTES_PER_MINUTE: '1000000', NETWORK_BRAND_VOTES_PER_MINUTE: '1000000' }

interface RedisSample {
  readonly sample: Sample
  readonly microseconds: number
  readonly commands: number
}

/** What a vote costs the Redis through which servers share their rate limits. */
export async function measureRedis({ rounds, seconds }: Pick<BenchArguments, 'rounds' | 'seconds'>) {
  const redis = await OwnRedis.start()
  atEnd(() => redis.remove())
  const first = await startTossup('sqlite')
  await first.pause()
  const subject = await first.restart({ ...LIMITS, REDIS_URL: redis.url })
  async function run(length: number): Promise<RedisSample> {
    const before = { commands: await redis.commands(), microseconds: cpuMicroseconds(redis.pid) ?? Number.NaN }
    const sample = await takeSample(subject, { reads: 0, votes: 1, votePaths: [hotVotes] }, length)
    const votes = (sample.votes?.acknowledged ?? Number.NaN) + (sample.votes?.cutOff ?? 0)
    const spent = (cpuMicroseconds(redis.pid) ?? Number.NaN) - before.microseconds
    return { sample, microseconds: spent / votes, commands: ((await redis.commands()) - before.commands) / votes }
  }
  await run(WARM_UP_SECONDS)
  const samples: RedisSample[] = []
  for (let round = 0; round < rounds; round++) samples.push(await run(seconds))
  await subject.stop()
  await redis.remove()
  return { table: tableOf(samples), isRight: samples.every(({ sample }) => isRightSample(sample)) }
}

function tableOf(samples: readonly RedisSample[]): string {
  const middle = (pick: (one: RedisSample) => number) => median(samples.map(pick))
  const head = ['votes with limits in Redis', 'votes/s', 'server µs', 'Redis µs', 'commands', 'votes']
  const row = [
    'on one poll',
    count(middle(({ sample }) => sample.perSecond)),
    middle(({ sample }) => sample.cpu ?? Number.NaN).toFixed(1),
    middle(({ microseconds }) => microseconds).toFixed(1),
    middle(({ commands }) => commands).toFixed(0),
    checksOf(samples.map(({ sample }) => sample)),
  ]
  return formatTable(head, [row])
}
