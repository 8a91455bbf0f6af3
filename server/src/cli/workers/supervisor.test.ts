import { expect, test } from 'bun:test'
import { eventually } from '../../../test/eventually.ts'
import { PlainFailure } from '../../base/errors.ts'
import { createLog } from '../../base/log.ts'
import { type Order, type Report, Supervisor, type WorkerProcess } from './supervisor.ts'

/** Lets every promise that is ready go on. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A worker whose life the test decides. */
class FakeWorker implements WorkerProcess {
  readonly pid: number
  readonly orders: Order[] = []
  readonly signals: string[] = []
  readonly #report: (report: Report) => void
  readonly #exit = Promise.withResolvers<number>()
  readonly exited = this.#exit.promise

  constructor(pid: number, report: (report: Report) => void) {
    this.pid = pid
    this.#report = report
  }

  send = (order: Order): void => void this.orders.push(order)

  kill = (signal: string): void => void this.signals.push(signal)

  get kinds(): string[] {
    return this.orders.map(({ kind }) => kind)
  }

  async listens(): Promise<void> {
    const url = 'http://127.0.0.1:4000'
    this.#report({ kind: 'listening', port: 4_000, greeting: { url, demo: null, lines: [url] } })
    await settled()
  }

  async fails(message: string): Promise<void> {
    this.#report({ kind: 'failed', message, isPlain: true })
    await settled()
  }

  async ends(code: number): Promise<void> {
    this.#exit.resolve(code)
    await settled()
  }
}

function scene(count: number) {
  const spawned: FakeWorker[] = []
  const pauses: number[] = []
  const lines: { level: string; msg: string }[] = []
  const supervisor = new Supervisor({
    log: createLog('info', { write: (line) => void lines.push(JSON.parse(line)) }),
    count,
    // Never in a test.
    killAfterMs: 1_000_000,
    describe: () => ({ role: 'all', metricsPort: null }),
    pauseMs(failures) {
      pauses.push(failures)
      return 0
    },
    spawn(report) {
      const worker = new FakeWorker(100 + spawned.length, report)
      spawned.push(worker)
      return worker
    },
  })
  const worker = (index: number): FakeWorker => {
    const found = spawned[index]
    if (!found) throw new Error(`no worker ${index} was started, only ${spawned.length}`)
    return found
  }
  return { supervisor, spawned, worker, pauses, lines }
}

/** All of them listen. */
async function started(count: number) {
  const parts = scene(count)
  const starting = parts.supervisor.start()
  for (let i = 0; i < count; i++) {
    await settled()
    await parts.worker(i).listens()
  }
  await starting
  return parts
}

test('workers start in turn: the first one takes PORT and greets, the others get its port', async () => {
  const { supervisor, spawned, worker } = scene(2)
  const starting = supervisor.start()
  await settled()
  expect(spawned).toHaveLength(1)
  await worker(0).listens()
  expect(spawned).toHaveLength(2)
  await worker(1).listens()
  expect((await starting).url).toBe('http://127.0.0.1:4000')
  expect(spawned.map(({ orders }) => orders)).toMatchObject([
    [{ kind: 'start', how: { slot: 0, port: null, greets: true } }],
    [{ kind: 'start', how: { slot: 1, port: 4_000, greets: false } }],
  ])
  expect(supervisor.pids).toEqual([100, 101])
})

test('if a worker does not start, the start fails with its words and the others end', async () => {
  const { supervisor, worker } = scene(2)
  const failure = supervisor.start().catch((error: unknown) => error)
  await settled()
  await worker(0).listens()
  await worker(1).fails('METRICS_PORT 9465 is already in use.')
  expect(worker(0).signals).toEqual(['SIGTERM'])
  await worker(1).ends(1)
  await worker(0).ends(0)
  expect(await failure).toEqual(new PlainFailure('METRICS_PORT 9465 is already in use.'))
})

test('a worker that dies is replaced, later each time it dies soon', async () => {
  const { supervisor, worker, pauses, lines } = await started(2)
  await worker(1).ends(137)
  expect(worker(2).orders).toMatchObject([{ kind: 'start', how: { slot: 1, port: 4_000, greets: false } }])
  await worker(2).fails('no database')
  await worker(2).ends(1)
  await worker(3).listens()
  expect(supervisor.pids).toEqual([100, 103])
  await worker(3).ends(137)
  expect(pauses).toEqual([1, 2, 3])
  // Repeated within a second, a line is only counted.
  expect(new Set(lines.filter(({ level }) => level === 'error').map(({ msg }) => msg))).toEqual(
    new Set(['a worker died: another one is started', 'a worker did not start: it is tried again']),
  )
})

test('a restart replaces one after another: a worker leaves when its successor listens', async () => {
  const { supervisor, spawned, worker } = await started(2)
  const restarting = supervisor.restart()
  await settled()
  expect(supervisor.restart()).toBe(restarting)
  expect(worker(0).kinds).toEqual(['start'])
  await worker(2).listens()
  expect(worker(0).orders.at(-1)).toEqual({ kind: 'leave' })
  expect(spawned).toHaveLength(3)
  await worker(0).ends(0)
  expect([worker(1).kinds, worker(2).kinds]).toEqual([['start'], ['start']])
  await worker(3).listens()
  expect(worker(1).orders.at(-1)).toEqual({ kind: 'leave' })
  await worker(1).ends(0)
  await restarting
  expect(supervisor.pids).toEqual([102, 103])
  expect(spawned).toHaveLength(4)
})

test('a worker that dies while its successor starts is not replaced twice', async () => {
  const { supervisor, spawned, worker } = await started(1)
  const restarting = supervisor.restart()
  await settled()
  await worker(0).ends(137)
  await worker(1).listens()
  await restarting
  expect(spawned).toHaveLength(2)
  expect(supervisor.pids).toEqual([101])
  expect(worker(1).kinds).toEqual(['start'])
})

test('if a successor dies while its predecessor leaves, the others stay', async () => {
  const { supervisor, spawned, worker, lines } = await started(2)
  const restarting = supervisor.restart()
  await settled()
  await worker(2).listens()
  await worker(2).ends(137)
  await worker(0).ends(0)
  await restarting
  expect(worker(1).kinds).toEqual(['start'])
  expect(lines.map(({ msg }) => msg)).toContain('a successor has died: the restart ends here')
  await worker(3).listens()
  expect(supervisor.pids).toEqual([103, 101])
  expect(spawned).toHaveLength(4)
})

test('a worker that dies while its successor fails to start is replaced after all', async () => {
  const { supervisor, worker, lines } = await started(2)
  const restarting = supervisor.restart()
  await settled()
  await worker(0).ends(137)
  await worker(2).fails('no database')
  await worker(2).ends(1)
  await restarting
  await worker(3).listens()
  expect(worker(3).orders).toMatchObject([{ kind: 'start', how: { slot: 0 } }])
  expect(supervisor.pids).toEqual([103, 101])
  expect(lines.map(({ msg }) => msg)).toContain('a worker has no successor: the restart ends here')
})

test('if a successor does not start, its predecessor and all others stay', async () => {
  const { supervisor, spawned, worker } = await started(2)
  const restarting = supervisor.restart()
  await settled()
  await worker(2).fails('no database')
  await worker(2).ends(1)
  await restarting
  expect([worker(0).kinds, worker(1).kinds, spawned.length]).toEqual([['start'], ['start'], 3])
  await worker(0).ends(137)
  expect(worker(3).orders).toMatchObject([{ kind: 'start', how: { slot: 0 } }])
})

test('a stop while a successor starts ends everything, and starts nothing more', async () => {
  const { supervisor, spawned, worker } = await started(2)
  const restarting = supervisor.restart()
  await settled()
  const stopping = supervisor.stop()
  expect(spawned.map(({ signals }) => signals)).toEqual([['SIGTERM'], ['SIGTERM'], ['SIGTERM']])
  // Without a handler yet.
  await worker(2).ends(143)
  await worker(0).ends(0)
  await worker(1).ends(0)
  expect(await stopping).toBe(true)
  await restarting
  expect(spawned).toHaveLength(3)
})

test('a stop while a worker leaves ends everything, and starts nothing more', async () => {
  const { supervisor, spawned, worker } = await started(2)
  const restarting = supervisor.restart()
  await settled()
  await worker(2).listens()
  const stopping = supervisor.stop()
  expect(spawned.map(({ signals }) => signals)).toEqual([['SIGTERM'], ['SIGTERM'], ['SIGTERM']])
  for (const each of spawned) await each.ends(0)
  expect(await stopping).toBe(true)
  await restarting
  expect(spawned).toHaveLength(3)
})

test('a stop says whether a worker ended with a fault, and none is replaced', async () => {
  const { supervisor, spawned, worker } = await started(2)
  const stopping = supervisor.stop()
  await worker(0).ends(1)
  await worker(1).ends(0)
  expect(await stopping).toBe(false)
  expect(spawned).toHaveLength(2)
})

test('a second signal kills every worker, also one that starts or leaves', async () => {
  const { supervisor, spawned, worker } = await started(2)
  const restarting = supervisor.restart()
  await settled()
  await worker(2).listens()
  void supervisor.stop()
  supervisor.stopAtOnce()
  expect(spawned.map(({ signals }) => signals.at(-1))).toEqual(['SIGKILL', 'SIGKILL', 'SIGKILL'])
  for (const each of spawned) await each.ends(137)
  await restarting
})

test('a worker that does not end is killed', async () => {
  const workers: FakeWorker[] = []
  const supervisor = new Supervisor({
    log: createLog('silent'),
    count: 1,
    killAfterMs: 1,
    describe: () => ({ role: 'all', metricsPort: null }),
    spawn(report) {
      const worker = new FakeWorker(100, report)
      workers.push(worker)
      return worker
    },
  })
  const starting = supervisor.start()
  await settled()
  await workers[0]?.listens()
  await starting
  const stopping = supervisor.stop()
  await eventually(() => (workers[0]?.signals.length ?? 0) > 1)
  expect(workers[0]?.signals).toEqual(['SIGTERM', 'SIGKILL'])
  await workers[0]?.ends(137)
  expect(await stopping).toBe(false)
})
