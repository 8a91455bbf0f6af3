import { expect, test } from 'bun:test'
import { HOUR, SECOND } from '../base/clock.ts'
import { createLog } from '../base/log.ts'
import { SharedClock } from './shared-clock.ts'
import type { Engine } from './store.ts'

function clockAt({ ahead, tookMs = 2 }: { ahead: number; tookMs?: number }) {
  const real = { steady: 5_000, wall: 1e12 }
  const lines: { msg: string; seconds: number }[] = []
  const log = createLog('info', { write: (line) => lines.push(JSON.parse(line)) })
  let isAway = false
  const votingTime = async () => {
    if (isAway) throw new Error('away')
    pass(tookMs / 2)
    const told = real.wall
    pass(tookMs / 2)
    return told
  }
  const pass = (ms: number) => {
    real.steady += ms
    real.wall += ms
  }
  const own = { ahead }
  const engine = { votingTime } as Pick<Engine, 'votingTime'> as Engine
  const clock = new SharedClock(engine, log, { steady: () => real.steady, wall: () => real.wall + own.ahead })
  return {
    clock,
    pass,
    /** How far it is from the time of the database. */
    off: () => clock.now() - real.wall,
    setOwn: (to: number) => {
      own.ahead = to
    },
    leave: () => {
      isAway = true
    },
    said: () => lines.splice(0).map(({ msg, seconds }) => (seconds === undefined ? msg : seconds)),
  }
}

test.each([2 * HOUR, -2 * HOUR])(
  'a machine whose clock is %d ms ahead has the time of the database, and says so once',
  async (ahead) => {
    const { clock, off, pass, said } = clockAt({ ahead })
    await clock.ask()
    expect(off()).toBe(0)
    expect(said()).toEqual([ahead / SECOND])
    pass(10_000)
    await clock.ask()
    expect(off()).toBe(0)
    expect(said()).toEqual([])
  },
)

test('a clock that is set back while the server runs changes nothing', async () => {
  const { clock, off, pass, setOwn } = clockAt({ ahead: 0 })
  await clock.ask()
  setOwn(-24 * HOUR)
  pass(1_000)
  expect(off()).toBe(0)
  await clock.ask()
  expect(off()).toBe(0)
})

test('while the database is away, or slow to answer, time goes on from its last answer', async () => {
  const { clock, off, pass, leave, said } = clockAt({ ahead: 2 * HOUR })
  await clock.ask()
  said()
  leave()
  pass(60_000)
  await clock.ask()
  expect(off()).toBe(0)
  expect(said()).toEqual(['the database did not tell its time'])

  const slow = clockAt({ ahead: 2 * HOUR, tookMs: 1_500 })
  await slow.clock.ask()
  expect(slow.off()).toBe(2 * HOUR)
})

test('small differences within the exactness of an answer do not move the time', async () => {
  const { clock, off, pass } = clockAt({ ahead: 0, tookMs: 40 })
  await clock.ask()
  const before = off()
  for (let i = 0; i < 20; i++) {
    pass(1_000)
    await clock.ask()
  }
  expect(off()).toBe(before)
})
