import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { eventually } from '../../../test/eventually.ts'
import type { OddJob } from '../../../test/isolation/odd-work.ts'
import { AppError } from '../errors.ts'
import { usageOf } from './isolated-child.ts'
import { type IsolatedWork, Isolation, type WorkSpec } from './isolated-work.ts'
import { JobFailed, JobKilled } from './job.ts'

// Processes take their time when the machine is busy.
setDefaultTimeout(60_000)

const entry = new URL('../../../test/isolation/odd-work.ts', import.meta.url)
const CPU_MS = 300
const LONG = { withinMs: 50_000 }

const opened: Isolation[] = []
afterEach(() => {
  for (const isolation of opened.splice(0)) isolation.close()
})

const warnings: unknown[] = []

function open(spec: Partial<WorkSpec> = {}): IsolatedWork<OddJob, unknown> {
  const isolation = new Isolation({ warn: (fields: unknown) => warnings.push(fields) } as never)
  opened.push(isolation)
  return isolation.open({ name: 'odd work', entry, cpuMs: CPU_MS, memoryBytes: 400e6, ...spec })
}

const failureOf = (running: Promise<unknown>): Promise<unknown> =>
  running.then(
    (value) => ({ value }),
    (error) => error,
  )

const answer = (value: unknown): OddJob => ({ do: 'answer', value })

const isGone = (pid: number): Promise<unknown> =>
  eventually(async () => {
    const usage = await usageOf(pid)
    return usage === null || usage.memoryBytes === 0
  })

describe('a job', () => {
  test('is answered by a process that stays for the next one', async () => {
    const work = open()
    expect(work.pid).toBeNull()
    expect(await work.run(answer({ text: 'é\n\u{1f642}', list: [1, null] }), LONG)).toEqual({
      text: 'é\n\u{1f642}',
      list: [1, null],
    })
    const { pid } = work
    const long = 'a'.repeat(3 * 1024 ** 2)
    expect(await work.run(answer(long), LONG)).toBe(long)
    expect(work.pid).toBe(pid)
  })

  test('that throws fails alone, with its name, message and code', async () => {
    const work = open()
    const failure = await failureOf(work.run({ do: 'throw' }, LONG))
    expect(failure).toBeInstanceOf(JobFailed)
    expect((failure as JobFailed).thrown).toEqual({ name: 'RangeError', message: 'too far', code: 'ERR_FAR' })
    const { pid } = work
    expect(await work.run(answer(1), LONG)).toBe(1)
    expect(work.pid).toBe(pid)
  })

  test.each(['loop', 'sort', 'match'] as const)(
    'that computes without end (%s) is killed at its limit of processor time, and the event loop goes on meanwhile',
    async (deed) => {
      const work = open()
      await work.run(answer(1), LONG)
      const pid = work.pid ?? 0
      let longest = 0
      let last = process.threadCpuUsage()
      // Processor time, because on a busy machine a turn also waits for other programs.
      const turns = setInterval(() => {
        const { user, system } = process.threadCpuUsage(last)
        longest = Math.max(longest, (user + system) / 1_000)
        last = process.threadCpuUsage()
      }, 5)
      const failure = await failureOf(work.run({ do: deed }, LONG))
      clearInterval(turns)
      expect(failure).toEqual(new JobKilled('processor time'))
      expect(longest).toBeLessThan(CPU_MS)
      await isGone(pid)
      expect(await work.run(answer(2), LONG)).toBe(2)
    },
  )

  test('that allocates without end is killed at its limit of memory', async () => {
    const work = open({ cpuMs: 30_000 })
    expect(await failureOf(work.run({ do: 'allocate' }, LONG))).toEqual(new JobKilled('memory'))
    expect(await work.run(answer(1), LONG)).toBe(1)
  })

  test.each(['exit', 'abort', 'print'] as const)(
    'that ends its process or breaks the protocol (%s) fails alone',
    async (deed) => {
      const work = open()
      const [before, broken, after] = [answer(1), { do: deed } as OddJob, answer(2)].map((job) =>
        failureOf(work.run(job, LONG)),
      )
      expect(await before).toEqual({ value: 1 })
      expect(await broken).toEqual(new JobKilled('crash'))
      expect(await after).toEqual({ value: 2 })
    },
  )

  test('that prints without end is killed before its output fills our memory', async () => {
    const work = open({ cpuMs: 30_000 })
    expect(await failureOf(work.run({ do: 'print without end' }, LONG))).toEqual(new JobKilled('crash'))
  })

  test('gets 503 when another program kills its process, because the input is not to blame', async () => {
    const work = open()
    const waiting = failureOf(work.run({ do: 'wait', ms: 30_000 }, LONG))
    await eventually(() => work.pid !== null)
    process.kill(work.pid ?? 0, 'SIGKILL')
    expect(await waiting).toMatchObject({ code: 'UNAVAILABLE', headers: { 'Retry-After': '1' } })
  })

  test('gets 503 when its process is killed before it can read the job', async () => {
    // Just before the job is given to it: a death that was noticed earlier only leads to another process.
    const doom: (() => void)[] = []
    const work = open({ pace: { ready: async () => doom.pop()?.(), ended: () => undefined } })
    await work.run(answer(1), LONG)
    for (let round = 0; round < 5; round++) {
      doom.push(() => process.kill(work.pid ?? 0, 'SIGKILL'))
      const failure = await failureOf(work.run(answer(2), LONG))
      expect(failure).toMatchObject({ code: 'UNAVAILABLE', headers: { 'Retry-After': '1' } })
      expect(await work.run(answer(3), LONG)).toBe(3)
    }
  })

  test('runs through SIGTERM, SIGINT and SIGHUP, which a service manager sends to the whole group', async () => {
    const work = open()
    await work.run(answer(1), LONG)
    const { pid } = work
    const waiting = work.run({ do: 'wait', ms: 200 }, LONG)
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(pid ?? 0, signal)
    await waiting
    expect(work.pid).toBe(pid)
  })

  test('sees nothing of our environment', async () => {
    const seen = (await open().run({ do: 'read environment' }, LONG)) as Record<string, string>
    expect(Object.keys(seen).sort()).toEqual(['BUN_FEATURE_FLAG_NO_ORPHANS', 'BUN_JSC_forceRAMSize', 'BUN_OPTIONS'])
  })

  test('runs in our folder, so that a relative path names the same file', async () => {
    expect(await open().run({ do: 'name its folder' }, LONG)).toBe(process.cwd())
  })

  test('that was given up is named in the log with its reason', async () => {
    warnings.length = 0
    await failureOf(open().run({ do: 'loop' }, LONG))
    expect(warnings).toEqual([{ work: 'odd work', reason: 'processor time' }])
  })
})

describe('jobs', () => {
  test('fifty at once are done one after the other, in their order', async () => {
    const work = open()
    const done: number[] = []
    await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        expect(await work.run(answer(i), LONG)).toBe(i)
        done.push(i)
      }),
    )
    expect(done).toEqual(Array.from({ length: 50 }, (_, i) => i))
  })

  test('beyond those that may wait are refused at once, with 503', async () => {
    const work = open({ mostWaiting: 2 })
    const ends = await Promise.all([1, 2, 3, 4].map((value) => failureOf(work.run(answer(value), LONG))))
    expect(ends.slice(0, 3)).toEqual([{ value: 1 }, { value: 2 }, { value: 3 }])
    expect(ends[3]).toMatchObject({ code: 'UNAVAILABLE', headers: { 'Retry-After': '2' } })
  })

  test('that are not done in time are told to come back, be it in the queue or at work', async () => {
    const work = open()
    await work.run(answer(1), LONG)
    const { pid } = work
    const startedAt = performance.now()
    const atWork = failureOf(work.run({ do: 'wait', ms: 30_000 }, { withinMs: 400 }))
    const queued = failureOf(work.run(answer(2), { withinMs: 100 }))
    expect(await queued).toBeInstanceOf(AppError)
    expect(await atWork).toBeInstanceOf(AppError)
    // Long before the end of the job that waits.
    expect(performance.now() - startedAt).toBeLessThan(30_000)
    await isGone(pid ?? 0)
    expect(await work.run(answer(3), LONG)).toBe(3)
  })

  test('of a caller who has left are not begun', async () => {
    const work = open()
    const left = new AbortController()
    const first = work.run({ do: 'wait', ms: 100 }, LONG)
    const second = failureOf(work.run(answer(1), { ...LONG, signal: left.signal }))
    left.abort(new Error('left'))
    await first
    expect(await second).toEqual(new Error('left'))
  })

  test('wait while the pace says so, and it is told how long each took', async () => {
    let isReady = false
    const took: number[] = []
    const pace = { ready: async () => void (await eventually(() => isReady)), ended: (ms: number) => took.push(ms) }
    const work = open({ pace: { ...pace, ended: (ms) => void pace.ended(ms) } })
    const done = work.run({ do: 'wait', ms: 50 }, LONG)
    // Real time: long enough for a process that must not be started.
    await Bun.sleep(100)
    expect(work.pid).toBeNull()
    isReady = true
    await done
    await eventually(() => took.length === 1)
    expect(took[0]).toBeGreaterThanOrEqual(49)
  })
})

describe('the process', () => {
  test('ends when it is idle', async () => {
    const work = open({ idleMs: 50 })
    await work.run(answer(1), LONG)
    const { pid } = work
    await isGone(pid ?? 0)
    expect(work.pid).toBeNull()
    expect(await work.run(answer(2), LONG)).toBe(2)
  })

  test('is renewed when it keeps half of what it may use', async () => {
    const work = open({ memoryBytes: 50e6 })
    expect(await work.run(answer(1), LONG)).toBe(1)
    await eventually(() => work.pid === null)
  })

  test('ends when its work is closed, also during a job', async () => {
    const work = open()
    const waiting = failureOf(work.run({ do: 'wait', ms: 30_000 }, LONG))
    await eventually(() => work.pid !== null)
    const { pid } = work
    work.close()
    expect(await waiting).toMatchObject({ code: 'UNAVAILABLE' })
    await isGone(pid ?? 0)
    expect(await failureOf(work.run(answer(1), LONG))).toMatchObject({ code: 'UNAVAILABLE' })
  })

  test('that cannot be started blames no input', async () => {
    const work = open({ entry: new URL('./nowhere.ts', import.meta.url) })
    expect(await failureOf(work.run(answer(1), LONG))).toMatchObject({ code: 'UNAVAILABLE' })
  })
})
