import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { newPlace, type Place, tossupJson } from './command.ts'
import { leastOf } from './least-of.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'

// Runs alone: it measures how soon reads are answered, and collecting the garbage of other files would delay them.

// Processes start slowly on a busy machine.
setDefaultTimeout(60_000)

const HELD_MS = 1_000
const SOON_MS = 100

let service: TestService
let brand: TestBrand
let place: Place
let other: Database
beforeAll(async () => {
  place = await newPlace('sqlite')
  service = await startTestService('sqlite')
  brand = await service.createBrand()
  other = new Database(join(service.deps.config.dataDir, 'tossup.sqlite'))
})
afterAll(async () => {
  other.close()
  await service.stop()
  await place.clear()
})

test('while another process writes, reads are answered at once and writes when that process is done', async () => {
  const poll = await service.createPoll(brand)
  const reads = ['/livez', `polls/${poll.slug}`, `brands/${brand.slug}/polls`, 'brands/me/polls']
  for (const path of reads) await service.get(path, { token: brand.token })

  /** The longest waits of reads, each as a part of its limit. */
  const longestWait = async () => {
    const device = randomUUID()
    other.run('begin immediate')
    const heldUntil = performance.now() + HELD_MS
    let answered = 0
    const count = <T>(reply: T): T => {
      answered++
      return reply
    }
    const writes = [
      service.vote(poll.slug, 'A', device).then(count),
      ...Array.from({ length: 30 }, () =>
        service
          .write('POST', 'brands/me/polls', {
            token: brand.token,
            json: { title: 'Tea or coffee?', optionA: { label: 'Tea' }, optionB: { label: 'Coffee' } },
          })
          .then(count),
      ),
    ]
    const waits: number[] = []
    while (performance.now() < heldUntil || waits.length <= 5 * reads.length) {
      for (const path of reads) {
        const askedAt = performance.now()
        expect((await service.get(path, { token: brand.token })).status).toBe(200)
        waits.push(performance.now() - askedAt)
      }
      // Real time: the file is locked for a while.
      await Bun.sleep(5)
    }
    expect(answered).toBe(0)
    other.run('rollback')
    expect((await Promise.all(writes)).map(({ status }) => status)).toEqual(writes.map(() => 201))
    expect((await service.get(`polls/${poll.slug}/votes/me`, { device })).status).toBe(200)
    const usual = waits.toSorted((a, b) => a - b)[Math.floor(0.9 * waits.length)] ?? Number.NaN
    // Other programs may delay one read, but a read that waited for the file would have waited for the rest of that time.
    return Math.max(usual / SOON_MS, Math.max(...waits) / (HELD_MS / 2))
  }
  expect(await leastOf(1, longestWait)).toBeLessThan(1)
})

test('a command waits too, at each of its writes', async () => {
  const { settings, dataDir } = place
  await tossupJson(['migrate'], settings)
  const file = new Database(join(dataDir, 'tossup.sqlite'))
  file.run('pragma busy_timeout = 5000')
  let isOver = false
  const commands = Promise.all([
    tossupJson(['migrate'], settings),
    tossupJson(['brand', 'create', '--slug', 'acme', '--name', 'Acme'], settings),
    tossupJson(['category', 'create', '--slug', 'food', '--name', 'Food'], settings),
    tossupJson(['app', 'create', '--scopes', 'view,vote'], settings),
  ]).finally(() => {
    isOver = true
  })
  // Locked again and again with short gaps, so that each step of a command meets the lock. Shorter than its patience.
  const end = performance.now() + 1_800
  while (performance.now() < end && !isOver) {
    file.run('begin immediate')
    // Real time: the file is locked for a while.
    await Bun.sleep(10)
    file.run('rollback')
    // Real time: the file is unlocked for a moment.
    await Bun.sleep(2)
  }
  const said = await commands
  expect(said[0]).toEqual({ applied: [] })
  file.close()
})

test('a start waits for the migration of another process, however long a write may otherwise wait', async () => {
  const { settings, dataDir, clear } = await newPlace('sqlite')
  const file = new Database(join(dataDir, 'tossup.sqlite'), { create: true })
  try {
    file.run('pragma journal_mode = wal')
    file.run('begin immediate')
    const command = tossupJson<{ applied: string[] }>(['migrate'], settings)
    // Real time: longer than the patience of a write.
    await Bun.sleep(7_000)
    file.run('rollback')
    expect((await command).applied).not.toEqual([])
  } finally {
    file.close()
    await clear()
  }
})
