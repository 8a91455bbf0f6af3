import { expect, test } from 'bun:test'
import { createLog } from '../base/log.ts'
import { drainThenStop, stopService } from './stop-service.ts'

/** The log as it is, and an exit that is only noted. */
function surroundings(withinMs: number) {
  const lines: Record<string, unknown>[] = []
  const codes: number[] = []
  const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line)) })
  return { lines, codes, given: { log, withinMs, exit: (code: number) => void codes.push(code) } }
}

test('a service that does not stop in time ends the process, and the log names what was still open', async () => {
  const { lines, codes, given } = surroundings(50)
  const stuck = Promise.withResolvers<void>()
  const stillOpen = ['jobs and deliveries', 'votes', 'database']
  const stopping = stopService({ stop: () => stuck.promise, stillOpen }, given)
  // Real time: longer than it may take.
  await Bun.sleep(100)
  expect(codes).toEqual([1])
  expect(lines).toMatchObject([{ level: 'fatal', stillOpen, afterMs: 50, msg: 'stopped without waiting any longer' }])
  stuck.resolve()
  await stopping
})

test('a service that stops in time, or fails to, is not ended a second time', async () => {
  const { lines, codes, given } = surroundings(50)
  await stopService({ stop: async () => undefined, stillOpen: [] }, given)
  await expect(stopService({ stop: () => Promise.reject(new Error('no')), stillOpen: [] }, given)).rejects.toThrow('no')
  // Real time: longer than it may take.
  await Bun.sleep(100)
  expect([codes, lines]).toEqual([[], []])
})

test('a service that drains says so, serves on, and stops after that', async () => {
  const { codes, given } = surroundings(60_000)
  const steps: string[] = []
  const service = {
    announceStop: () => void steps.push('announced'),
    stop: async () => void steps.push('stopped'),
    stillOpen: [],
  }
  const draining = drainThenStop(service, { ...given, drainSeconds: 1 })
  expect(steps).toEqual(['announced'])
  await draining
  expect(steps).toEqual(['announced', 'stopped'])
  await drainThenStop(service, { ...given, drainSeconds: 0 })
  expect([steps.slice(2), codes]).toEqual([['stopped'], []])
})
