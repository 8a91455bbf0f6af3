import { expect, test } from 'bun:test'
import { createLog } from '../base/log.ts'
import { TimeWatch } from './time-watch.ts'

function watchAt(times: { steady: number; wall: number }) {
  const lines: { msg: string; seconds: number }[] = []
  const log = createLog('info', { write: (line) => lines.push(JSON.parse(line)) })
  const watch = new TimeWatch(log, () => ({ ...times }))
  const look = (passed: { steady: number; wall: number }) => {
    times.steady += passed.steady
    times.wall += passed.wall
    watch.look()
    return lines.splice(0).map(({ msg, seconds }) => [msg, seconds])
  }
  return { look, stop: () => watch.stop() }
}

test('a process that runs on time, on a clock that is adjusted a little, logs nothing', () => {
  const { look, stop } = watchAt({ steady: 0, wall: 1e12 })
  expect(look({ steady: 1_000, wall: 1_000 })).toEqual([])
  expect(look({ steady: 2_500, wall: 2_900 })).toEqual([])
  stop()
})

test.each([
  ['a pause', { steady: 31_000, wall: 31_000 }, ['the process did not run for some seconds', 30]],
  ['a clock that was set forwards', { steady: 1_000, wall: 3_601_000 }, ['the clock of the machine was set', 3_600]],
  ['a clock that was set back', { steady: 1_000, wall: -86_399_000 }, ['the clock of the machine was set', -86_400]],
  ['a machine that was suspended', { steady: 1_000, wall: 61_000 }, ['the clock of the machine was set', 60]],
])('%s is a line, once', (_, passed, line) => {
  const { look, stop } = watchAt({ steady: 0, wall: 1e12 })
  expect(look(passed)).toEqual([line as [string, number]])
  expect(look({ steady: 1_000, wall: 1_000 })).toEqual([])
  stop()
})
