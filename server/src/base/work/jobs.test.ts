import { describe, expect, test } from 'bun:test'
import { eventually } from '../../../test/eventually.ts'
import { inBatches, type Job, Jobs } from './jobs.ts'

describe('work in batches', () => {
  test('goes on until nothing is left, and says so', async () => {
    let left = 5
    expect(await inBatches(async () => --left > 0)).toBe(false)
    expect(left).toBe(0)
  })

  test('stops after half a second by its stopwatch, and says that more is left', async () => {
    let batches = 0
    let elapsed = 0
    const batch = async () => {
      batches++
      elapsed += 100
      return true
    }
    expect(await inBatches(batch, () => elapsed)).toBe(true)
    expect(batches).toBe(5)
  })

  test('does at least one batch, however long it takes', async () => {
    let elapsed = 0
    let batches = 0
    const slow = async () => {
      batches++
      elapsed += 60_000
      return true
    }
    expect(await inBatches(slow, () => elapsed)).toBe(true)
    expect(batches).toBe(1)
  })

  test('lets requests have their turns between two batches', async () => {
    const order: string[] = []
    let left = 3
    setImmediate(() => order.push('request'))
    await inBatches(async () => {
      order.push('batch')
      return --left > 0
    })
    expect(order.indexOf('request')).toBeLessThan(order.lastIndexOf('batch'))
  })

  test('fails as its batch fails', async () => {
    const failure = new Error('no database')
    await expect(inBatches(() => Promise.reject(failure))).rejects.toBe(failure)
  })
})

/** A clock that only the test moves, and the lines that the jobs log. */
function setting() {
  let time = 1_000
  const failures: string[] = []
  const deps = {
    clock: { now: () => time },
    log: { error: (fields: unknown) => void failures.push((fields as { job: string }).job) },
  }
  return {
    deps,
    failures,
    advance: (milliseconds: number) => {
      time += milliseconds
    },
  }
}

/** A job that records when it ran. */
function noted(name: string, everyMs: number) {
  const runs: number[] = []
  const job: Job = {
    name,
    everyMs,
    run: async (now) => {
      runs.push(now)
    },
  }
  return { job, runs }
}

/** A promise, and the function that resolves it. */
function gate() {
  return Promise.withResolvers<void>()
}

describe('jobs that rest', () => {
  test('run when they are woken, also during a run, and not more often than every so often', async () => {
    const { deps } = setting()
    const { job, runs } = noted('woken', 20)
    const jobs = new Jobs(deps, [{ ...job, restMs: 60_000 }])
    jobs.start()
    await eventually(() => runs.length === 1)
    const wokenAt = performance.now()
    jobs.wake('woken')
    jobs.wake('woken')
    await eventually(() => runs.length === 2)
    jobs.wake('woken')
    await eventually(() => runs.length === 3)
    expect(performance.now() - wokenAt).toBeGreaterThan(19)
    // Real time: a job that rests does nothing.
    await Bun.sleep(60)
    expect(runs).toHaveLength(3)
    jobs.wake('another')
    await jobs.stop()
    jobs.wake('woken')
    expect(runs).toHaveLength(3)
  })

  test('go on after a run that left work, or failed', async () => {
    const { deps, failures } = setting()
    let runs = 0
    const run = async () => {
      runs++
      if (runs === 2) throw new Error('once')
      return runs < 2
    }
    const jobs = new Jobs(deps, [{ name: 'lasting', everyMs: 1, restMs: 60_000, run }])
    jobs.start()
    await eventually(() => runs === 3)
    expect(failures).toEqual(['lasting'])
    // Real time: a job that rests does nothing.
    await Bun.sleep(30)
    expect(runs).toBe(3)
    await jobs.stop()
  })
})

describe('jobs run by hand', () => {
  test('run when they are due by the clock, and not before', async () => {
    const { deps, advance } = setting()
    const [often, seldom] = [noted('often', 100), noted('seldom', 1_000)]
    const jobs = new Jobs(deps, [often.job, seldom.job])
    await jobs.runDue()
    await jobs.runDue()
    advance(99)
    await jobs.runDue()
    expect([often.runs, seldom.runs]).toEqual([[1_000], [1_000]])
    advance(1)
    await jobs.runDue()
    advance(900)
    await jobs.runDue()
    expect([often.runs, seldom.runs]).toEqual([
      [1_000, 1_100, 2_000],
      [1_000, 2_000],
    ])
  })

  test('are due as long after the end of a run as they say', async () => {
    const { deps, advance } = setting()
    let runs = 0
    const jobs = new Jobs(deps, [
      {
        name: 'slow',
        everyMs: 100,
        run: async () => {
          runs++
          advance(500)
        },
      },
    ])
    await jobs.runDue()
    advance(99)
    await jobs.runDue()
    expect(runs).toBe(1)
    advance(1)
    await jobs.runDue()
    expect(runs).toBe(2)
  })

  test('run on until their work is done', async () => {
    const { deps } = setting()
    let left = 3
    const jobs = new Jobs(deps, [{ name: 'long', everyMs: 100, run: async () => --left > 0 }])
    await jobs.runDue()
    expect(left).toBe(0)
  })

  test('take turns in their order', async () => {
    const { deps } = setting()
    const order: string[] = []
    const job = (name: string): Job => ({
      name,
      everyMs: 1,
      run: async () => {
        order.push(`${name} begins`)
        await Promise.resolve()
        order.push(`${name} ends`)
      },
    })
    await new Jobs(deps, [job('first'), job('second')]).runDue()
    expect(order).toEqual(['first begins', 'first ends', 'second begins', 'second ends'])
  })

  test('run once when two callers find them due, and both wait for the run', async () => {
    const { deps } = setting()
    const opened = gate()
    let runs = 0
    const run = async () => {
      await opened.promise
      runs++
    }
    const jobs = new Jobs(deps, [{ name: 'once', everyMs: 100, run }])
    const seen: number[] = []
    const both = [0, 1].map(() => jobs.runDue().then(() => seen.push(runs)))
    opened.resolve()
    await Promise.all(both)
    expect(seen).toEqual([1, 1])
  })

  test('go on after a run that failed, which is logged with the name of the job', async () => {
    const { deps, failures, advance } = setting()
    let runs = 0
    const failing: Job = {
      name: 'failing',
      everyMs: 100,
      run: () => {
        runs++
        throw new Error('no database')
      },
    }
    const next = noted('next', 100)
    const jobs = new Jobs(deps, [failing, next.job])
    await jobs.runDue()
    advance(100)
    await jobs.runDue()
    expect([runs, next.runs.length, failures]).toEqual([2, 2, ['failing', 'failing']])
  })
})

describe('jobs run by time', () => {
  test('a job that hangs delays no other, and never has a second run beside the first', async () => {
    const { deps } = setting()
    const [hanging, third] = [gate(), gate()]
    let hung = 0
    let runs = 0
    const jobs = new Jobs(deps, [
      {
        name: 'hangs',
        everyMs: 1,
        run: () => {
          hung++
          return hanging.promise
        },
      },
      {
        name: 'quick',
        everyMs: 1,
        run: async () => {
          if (++runs === 3) third.resolve()
        },
      },
    ])
    jobs.start()
    await third.promise
    expect(hung).toBe(1)
    hanging.resolve()
    await jobs.stop()
  })

  test('repeat while the clock stands still or goes back', async () => {
    const { deps, advance } = setting()
    const third = gate()
    let runs = 0
    const jobs = new Jobs(deps, [
      {
        name: 'quick',
        everyMs: 1,
        run: async () => {
          advance(-3_600_000)
          if (++runs === 3) third.resolve()
        },
      },
    ])
    jobs.start()
    await third.promise
    await jobs.stop()
  })

  test('a stop waits for the run under way and begins no other', async () => {
    const { deps } = setting()
    const opened = gate()
    const ended: string[] = []
    let runs = 0
    const jobs = new Jobs(deps, [
      {
        name: 'slow',
        everyMs: 1,
        run: async () => {
          runs++
          await opened.promise
          ended.push('run')
        },
      },
    ])
    jobs.start()
    const stopped = jobs.stop().then(() => ended.push('stop'))
    opened.resolve()
    await stopped
    expect([runs, ended]).toEqual([1, ['run', 'stop']])
  })

  test('a failing run does not end the series', async () => {
    const { deps, failures } = setting()
    const second = gate()
    let runs = 0
    const jobs = new Jobs(deps, [
      {
        name: 'failing',
        everyMs: 1,
        run: async () => {
          if (++runs === 2) second.resolve()
          throw new Error('no database')
        },
      },
    ])
    jobs.start()
    await second.promise
    await jobs.stop()
    expect(failures).toEqual(['failing', 'failing'])
  })
})
