import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { newPlace, type Place, tossupJson } from './command.ts'
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
  const device = randomUUID()
  const reads = ['/livez', `polls/${poll.slug}`, `brands/${brand.slug}/polls`, 'brands/me/polls']
  for (const path of reads) await service.get(path, { token: brand.token })

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
  while (performance.now() < heldUntil) {
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
  // Other programs may delay one read, but a read that waited for the file would have waited for the rest of that time.
  expect(waits.toSorted((a, b) => a - b)[Math.floor(0.9 * waits.length)]).toBeLessThan(SOON_MS)
  expect(Math.max(...waits)).toBeLessThan(HELD_MS / 2)
  expect(waits.length).toBeGreaterThan(5 * reads.length)
  expect((await Promise.all(writes)).map(({ status }) => status)).toEqual(writes.map(() => 201))
  expect((await service.get(`polls/${poll.slug}/votes/me`, { device })).status).toBe(200)
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
  // Locked again and again with short gaps, so that each step of a command meets the lock.
  for (let i = 0; i < 150 && !isOver; i++) {
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
