import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LogBroken, LogNotDurable, WriteAheadLog } from './write-ahead-log.ts'

describe('the write-ahead log', () => {
  let folder: string
  let path: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tossup-test-'))
    path = join(folder, 'log')
    await writeFile(path, 'written')
  })
  afterEach(() => rm(folder, { recursive: true }))

  /** A disk whose syncs end when the test decides. */
  function slowDisk() {
    const syncs: PromiseWithResolvers<void>[] = []
    const log = new WriteAheadLog(path, () => {
      const sync = Promise.withResolvers<void>()
      syncs.push(sync)
      return sync.promise
    })
    return { log, syncs }
  }

  const stateOf = async (promise: Promise<void>): Promise<string> => {
    const states = [
      promise.then(
        () => 'durable',
        () => 'failed',
      ),
      // Real time: a promise that is still pending has no event to wait for.
      Bun.sleep(5).then(() => 'waiting'),
    ]
    return await Promise.race(states)
  }

  test('a real file can be synced several times and closed twice', async () => {
    const log = new WriteAheadLog(path)
    await log.makeDurable()
    await Promise.all([log.makeDurable(), log.makeDurable(), log.whenDurable()])
    await log.close()
    await log.close()
  })

  test('writes during a sync wait for the next sync, and one sync serves them all', async () => {
    const { log, syncs } = slowDisk()
    const first = log.makeDurable()
    const later = [log.makeDurable(), log.makeDurable(), log.whenDurable()]
    expect(syncs).toHaveLength(1)
    syncs[0]?.resolve()
    await first
    expect(await Promise.all(later.map(stateOf))).toEqual(['waiting', 'waiting', 'waiting'])
    expect(syncs).toHaveLength(2)
    const last = log.makeDurable()
    syncs[1]?.resolve()
    await Promise.all(later)
    expect(await stateOf(last)).toBe('waiting')
    expect(syncs).toHaveLength(3)
    syncs[2]?.resolve()
    await last
    await log.whenDurable()
    expect(syncs).toHaveLength(3)
  })

  test('a caller that has written nothing waits for the writes of others', async () => {
    const { log, syncs } = slowDisk()
    await log.whenDurable()
    const writing = log.makeDurable()
    const reading = log.whenDurable()
    expect(await stateOf(reading)).toBe('waiting')
    syncs[0]?.resolve()
    await Promise.all([writing, reading])
  })

  test('after a failed sync nothing is durable any more, even if a later sync succeeds', async () => {
    const { log, syncs } = slowDisk()
    const first = log.makeDurable()
    const next = log.makeDurable()
    log.assertSound()
    syncs[0]?.reject(new Error('EIO'))
    for (const result of await Promise.allSettled([first, next])) {
      expect(result).toMatchObject({ status: 'rejected', reason: expect.any(LogNotDurable) })
    }
    expect(() => log.assertSound()).toThrow(LogBroken)
    await expect(log.makeDurable()).rejects.toBeInstanceOf(LogNotDurable)
    expect(syncs).toHaveLength(1)
    await log.close()
  })

  test('a log that cannot be opened refuses writes, and is opened once that is possible', async () => {
    await rm(path)
    const log = new WriteAheadLog(path)
    expect(() => log.assertSound()).toThrow(LogBroken)
    await expect(log.makeDurable()).rejects.toBeInstanceOf(LogNotDurable)
    await writeFile(path, 'written')
    log.assertSound()
    await log.makeDurable()
    await log.close()
  })

  test('an open log needs no file descriptor for its first sync', async () => {
    const log = new WriteAheadLog(path)
    log.assertSound()
    // From here on the log cannot be opened, as in a process without file descriptors.
    await rm(path)
    await log.makeDurable()
    await log.close()
  })
})
