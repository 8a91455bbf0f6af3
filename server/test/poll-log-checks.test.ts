import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { sql } from 'kysely'
import { openCheckpoint, openLog, verifyLog } from '../../sdk/src/verify/index.ts'
import { checkLogs } from '../src/features/log/check-logs.ts'
import { extendLogs } from '../src/features/log/extend-logs.ts'
import { openLogKey } from '../src/features/log/log-keys.ts'
import { newDevice, pollKeyOf } from './ballot-box.ts'
import { newPlace, type Place, TEST_SECRET, tossup, tossupJson } from './command.ts'
import { engines } from './engines.ts'
import { leafHash, readCheckpoint, treeHead } from './log-reader.ts'
import { ADMIN_URL, createDatabase } from './own-database.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

// Processes start slowly on a busy machine.
setDefaultTimeout(120_000)

interface LogData {
  readonly url: string
  readonly origin: string
  readonly publicKey: string
  readonly size: number
  readonly checkpoint: string
  readonly restarts: readonly { readonly origin: string; readonly size: number }[]
}

async function cast(service: TestService, poll: Pick<PollData, 'id'>, votes: number): Promise<void> {
  const pollKey = await pollKeyOf(service, poll)
  const options = Array.from({ length: votes }, (_, i) => (i % 3 === 0 ? 'B' : 'A') as 'A' | 'B')
  await Promise.all(options.map((option) => service.service.ledger.cast({ pollKey, device: newDevice(), option })))
}

/** Does not wait for the job that writes the totals. */
async function extend(service: TestService): Promise<void> {
  await sql`update polls set vote_total = (select option_a + option_b from tallies where poll_key = polls.key)
    where deleted_at is null`.execute(service.db)
  while (await extendLogs(service.deps));
}

const logOf = async (service: TestService, { slug }: Pick<PollData, 'slug'>) =>
  (await service.get<LogData>(`polls/${slug}/log`)).body.data

/** The verdict of somebody who saw an earlier log of the poll. */
async function verdictAfter(service: TestService, poll: Pick<PollData, 'slug'>, { checkpoint, publicKey }: LogData) {
  const seen = [await openCheckpoint(checkpoint, publicKey)]
  const log = await openLog(service.service.url, poll.slug, { patienceMs: 0 })
  const { faults, restarts } = await verifyLog(log, { seen })
  return { faults: faults.map(({ code }) => code), restarts: restarts.map(({ size }) => size) }
}

const entriesOf = async (service: TestService, url: string): Promise<string[]> => {
  const reply = await fetch(`${url.replace(service.deps.config.publicUrl, service.service.url)}/bundle`)
  return ((await reply.json()) as { entries: string[] }).entries
}

describe.each([...engines])('%s: the check of logs', (engine) => {
  let service: TestService
  let brand: TestBrand
  let poll: PollData
  let key: number
  beforeAll(async () => {
    service = await startTestService(engine, { jobs: 'by hand' })
    brand = await service.createBrand()
  })
  beforeEach(async () => {
    poll = await service.createPoll(brand)
    key = await pollKeyOf(service, poll)
    await cast(service, poll, 600)
    await extend(service)
  })
  afterAll(() => service.stop())

  const run = (statement: string) => sql.raw(statement.replaceAll('$key', String(key))).execute(service.db)

  const faults = async (hasTiles = true) => {
    const found = await checkLogs({
      select: async <Row>(query: string) => (await sql.raw<Row>(query).execute(service.db)).rows,
      voteTables: ['votes'],
      hasTiles,
      openKey: (sealed) => openLogKey(service.deps.keys, sealed),
    })
    return found.faults.map((fault) => fault.replace(poll.id, 'P'))
  }

  const zeros = (bytes: number) =>
    engine === 'sqlite' ? `zeroblob(${bytes})` : `decode(repeat('00', ${bytes}), 'hex')`
  const own = 'poll_key = $key'
  const ofLog = 'log_key = (select key from poll_logs where poll_key = $key)'
  const changed = (from: number, to: number) => `Among votes ${from} to ${to} of poll P, one is not what its log says.`

  const spoiled: [string, string[], string][] = [
    ['an option', [`update votes set option = 'A' where ${own} and position = 301`], changed(257, 512)],
    ['a device', [`update votes set device = ${zeros(16)} where ${own} and position = 590`], changed(577, 592)],
    [
      'two votes that are swapped',
      [
        `update votes set option = 'A' where ${own} and position = 1`,
        `update votes set option = 'B' where ${own} and position = 2`,
      ],
      changed(1, 256),
    ],
    [
      'a vote that is removed',
      [`delete from votes where ${own} and position = 300`],
      'Poll P has no vote at position 300, which its log holds.',
    ],
    [
      'the last vote removed',
      [`delete from votes where ${own} and position = 600`],
      'The log of poll P holds 600 votes, and the database has 599.',
    ],
    [
      'a vote that is inserted',
      [
        `update votes set position = position + 100000 where ${own} and position >= 300`,
        `update votes set position = position - 99999 where ${own} and position >= 100000`,
        `insert into votes (poll_key, position, device, option, voted_at) values ($key, 300, ${zeros(16)}, 'A', 1)`,
      ],
      changed(257, 512),
    ],
    [
      'a tile that is dropped',
      [`delete from poll_log_tiles where ${ofLog}`],
      'Tile 0 of level 1 of the log of poll P is missing.',
    ],
    [
      'a tile that is damaged',
      [`update poll_log_tiles set hashes = ${zeros(64)} where ${ofLog}`],
      'Tile 0 of level 1 of the log of poll P is damaged.',
    ],
    ['a state that is another', [`update poll_logs set peaks = ${zeros(128)} where ${own}`], changed(1, 512)],
  ]

  test.each(spoiled)('finds %s', async (_name, statements, fault) => {
    expect(await faults()).toEqual([])
    for (const statement of statements) await run(statement)
    expect(await faults()).toEqual([fault])
    // An archive holds no tiles: its root tells the same of its votes.
    if (!fault.startsWith('Tile')) expect(await faults(false)).toHaveLength(1)
    else expect(await faults(false)).toEqual([])
    await run(`delete from poll_log_tiles where ${ofLog}`)
    await run(`update poll_logs set ended_at = 1 where ${own}`)
  })

  test('two servers that extend the same logs sign one history', async () => {
    const seen = new Map<number, string>()
    const note = async () => {
      const log = await logOf(service, poll)
      const { size, root } = readCheckpoint(log.checkpoint, log.publicKey)
      expect(seen.get(size) ?? root.toString('hex')).toBe(root.toString('hex'))
      seen.set(size, root.toString('hex'))
    }
    for (let round = 0; round < 12; round++) {
      await cast(service, poll, 37 * round)
      await sql`update polls set vote_total = (select option_a + option_b from tallies where poll_key = polls.key)`.execute(
        service.db,
      )
      await Promise.all([extendLogs(service.deps), extendLogs(service.deps), note(), note()])
      await extend(service)
      await note()
    }
    const { url } = await logOf(service, poll)
    const leaves = (await entriesOf(service, url)).map(leafHash)
    expect(leaves).toHaveLength(600 + 37 * 66)
    for (const [size, root] of seen)
      expect([size, treeHead(leaves.slice(0, size)).toString('hex')]).toEqual([size, root])
    expect(await faults()).toEqual([])
  })
})

test.if(engines.includes('postgres'))(
  'of two servers one extends the logs, and the other takes over when it is silent',
  async () => {
    const database = await createDatabase(ADMIN_URL)
    const settings = { DATABASE_URL: database.url }
    const one = await startTestService('sqlite', { settings, jobs: 'by hand' })
    const two = await startTestService('sqlite', { settings, jobs: 'by hand' })
    // A slow machine would be silent too.
    for (const { clock } of [one, two]) clock.freeze()
    try {
      const poll = await one.createPoll(await one.createBrand())
      const sizeAfter = async (server: TestService) => {
        await cast(one, poll, 10)
        await extend(server)
        return (await logOf(one, poll)).size
      }
      expect(await sizeAfter(one)).toBe(10)
      expect(await sizeAfter(two)).toBe(10)
      expect(await sizeAfter(one)).toBe(30)
      two.clock.advance(7_000)
      expect(await sizeAfter(two)).toBe(40)
    } finally {
      await one.stop()
      await two.stop()
      await database.drop()
    }
  },
)

test.each([...engines])(
  '%s: a restore, a restart and an import begin new logs, and tell of the earlier',
  async (engine) => {
    const [from, to] = [await newPlace(engine), await newPlace('sqlite')]
    const again = engine === 'postgres' ? await createDatabase(ADMIN_URL, { mustBeEmpty: true }) : null
    const restored: Place = {
      ...from,
      dataDir: join(from.dataDir, 'restored'),
      settings: {
        ...from.settings,
        DATA_DIR: join(from.dataDir, 'restored'),
        ...(again ? { DATABASE_URL: again.url } : {}),
      },
    }
    const secret = { SECRET_KEY: TEST_SECRET }
    const serviceIn = ({ settings }: Place) =>
      startTestService('sqlite', { jobs: 'by hand', keepsData: true, settings: { ...settings, ...secret } })
    try {
      const first = await serviceIn(from)
      const brand = await first.createBrand()
      const poll = await first.createPoll(brand)
      await cast(first, poll, 300)
      await extend(first)
      const before = await logOf(first, poll)
      const commands = { ...from.settings, ...secret }
      const backup = join(from.dataDir, 'backup.tar')
      const archive = join(from.dataDir, 'brand.tar')
      await tossupJson(['backup', backup], commands)
      expect(await tossupJson(['verify', backup], commands)).toMatchObject({
        isSound: true,
        logs: { logs: 1, faults: [] },
      })
      await tossupJson(['brand', 'export', '--brand', brand.slug, '--out', archive, '--votes'], commands)
      await cast(first, poll, 5)
      await extend(first)
      const newest = await logOf(first, poll)
      expect(await tossupJson(['verify'], commands)).toMatchObject({
        isSound: true,
        logs: { logs: 1, unchecked: null },
      })
      await sql`update tallies set option_a = option_a + 1`.execute(first.db)
      await sql`update votes set option = 'A' where position = 1`.execute(first.db)
      const wrong = await tossup(['verify', '--json'], commands)
      expect([wrong.code, JSON.parse(wrong.stdout).faults]).toEqual([
        1,
        [
          `The tally of poll ${poll.id} is 204:102, and its votes are 204:101.`,
          `Among votes 1 to 256 of poll ${poll.id}, one is not what its log says.`,
        ],
      ])
      await first.stop()

      await tossupJson(['restore', backup], { ...restored.settings, ...secret })
      const second = await serviceIn(restored)
      await extend(second)
      const after = await logOf(second, poll)
      expect(after.origin).not.toBe(before.origin)
      expect(after).toMatchObject({ size: 300, restarts: [{ origin: before.origin, size: 300 }] })
      expect(await entriesOf(second, after.url)).toHaveLength(300)
      expect(await verdictAfter(second, poll, before)).toEqual({ faults: [], restarts: [300] })
      // The backup is older than this checkpoint, which the service signed before it was restored.
      expect(await verdictAfter(second, poll, newest)).toEqual({ faults: ['NOT_EXTENDED'], restarts: [] })
      expect((await second.get(new URL(`${before.url}/checkpoint`).pathname)).status).toBe(404)
      if (engine === 'sqlite') await second.stop()
      const restart = await tossupJson(['log', 'restart', '--yes'], { ...restored.settings, ...secret })
      expect(restart).toEqual({ ended: 1 })
      const third = engine === 'sqlite' ? await serviceIn(restored) : second
      await cast(third, poll, 1)
      await extend(third)
      const last = await logOf(third, poll)
      expect(last).toMatchObject({ size: 301, restarts: [{ size: 300 }, { origin: after.origin, size: 300 }] })
      const doctor = await tossup(['doctor', '--json'], { ...restored.settings, ...secret })
      expect(doctor.stdout).toContain('1 poll has one; 2 earlier ones ended')
      await third.stop()

      await tossupJson(['brand', 'import', archive], { ...to.settings, ...secret })
      const other = await serviceIn(to)
      await extend(other)
      const imported = await logOf(other, poll)
      expect(imported.origin).not.toBe(before.origin)
      expect(imported).toMatchObject({ size: 300, restarts: [{ origin: before.origin, size: 300 }] })
      expect(readCheckpoint(imported.checkpoint, imported.publicKey).size).toBe(300)
      // A new key gives other entries.
      expect(await verdictAfter(other, poll, before)).toEqual({ faults: ['NOT_EXTENDED'], restarts: [] })
      await other.stop()
    } finally {
      await again?.drop()
      await from.clear()
      await to.clear()
    }
  },
)
