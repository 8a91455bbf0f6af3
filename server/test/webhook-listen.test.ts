import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { spawnTossup, tossup } from './command.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { createDatabase, type OwnDatabase } from './own-database.ts'
import { deletePoll, patchPoll } from './polls.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'

const SECRET_KEY = 'a secret for the tests that is long enough'

describe.each([...engines])('%s: tossup webhook listen', (engine) => {
  let service: TestService
  let database: OwnDatabase | null
  let settings: Record<string, string>
  beforeAll(async () => {
    database = engine === 'postgres' ? await createDatabase() : null
    service = await startTestService(engine, database ? { database } : {})
    const { dataDir } = service.deps.config
    settings = { DATA_DIR: dataDir, SECRET_KEY, ...(database ? { DATABASE_URL: database.url } : {}) }
  })
  afterAll(async () => {
    await service.stop()
    await database?.drop()
  })

  /** Listens until `lines` lines have been printed, then sends `signal`. */
  async function listen(
    brand: TestBrand,
    words: string[],
    { lines, act }: { lines: number; act: () => Promise<unknown> },
  ) {
    const child = spawnTossup(['webhook', 'listen', '--brand', brand.slug, ...words], settings)
    const errors = child.stderr.getReader()
    expect(new TextDecoder().decode((await errors.read()).value)).toBe(
      `Listening to ${brand.slug}. Press Ctrl-C to stop.\n`,
    )
    // Real time: what the server keeps in memory is at most a second old.
    await Bun.sleep(1_000)
    await act()
    let text = ''
    const reader = child.stdout.getReader()
    while (text.split('\n').length <= lines) {
      const { value, done } = await reader.read()
      if (done) break
      text += new TextDecoder().decode(value)
    }
    child.kill('SIGINT')
    expect(await child.exited).toBe(0)
    return text.trimEnd().split('\n')
  }

  const rowsOf = async ({ brandKey }: TestBrand) => {
    const listeners = await service.db.selectFrom('listeners').select('key').where('brand_key', '=', brandKey).execute()
    const events = await service.db.selectFrom('listener_events').select('key').execute()
    const outbox = await service.db.selectFrom('outbox').select('key').execute()
    return [listeners.length, events.length, outbox.length]
  }

  test('prints the events of a brand without a webhook, and leaves nothing behind', async () => {
    const brand = await service.createBrand()
    const other = await service.createBrand()
    const said = await listen(brand, ['--json'], {
      lines: 4,
      async act() {
        await service.createPoll(other)
        const poll = await service.createPoll(brand, { title: 'Do you hear me?' })
        await patchPoll(service, brand, poll.slug, { title: 'Now?' })
        await deletePoll(service, brand, poll.slug)
        expect((await service.get('brands/me/webhooks', brand)).body.data).toEqual([])
      },
    })
    const events = said.map((line) => JSON.parse(line))
    expect(events.map(({ type }) => type)).toEqual(['poll.created', 'poll.opened', 'poll.updated', 'poll.deleted'])
    expect(Object.keys(events[0])).toEqual(['id', 'type', 'timestamp', 'data'])
    expect(events[2].data.poll.title).toBe('Now?')
    // Events that nobody listens to may still be on their way to the feed of their brand.
    await eventually(async () => Bun.deepEquals(await rowsOf(brand), [0, 0, 0]))
  }, 60_000)

  test('prints a readable line for each event that was asked for', async () => {
    const brand = await service.createBrand()
    const said = await listen(brand, ['--events', 'poll.updated, poll.deleted'], {
      lines: 2,
      async act() {
        const poll = await service.createPoll(brand)
        await patchPoll(service, brand, poll.slug, { title: 'Now?' })
        await deletePoll(service, brand, poll.slug)
      },
    })
    expect(said).toHaveLength(2)
    expect(said[0]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z {2}poll\.updated {2}\{"poll":\{.*"title":"Now\?".*\}\}$/)
    expect(said[1]).toMatch(/ {2}poll\.deleted {2}\{"poll":\{"id":"[0-9a-f-]{36}","slug":"[a-z0-9-]+"\}\}$/)
  }, 60_000)

  test('that is killed is removed after a while', async () => {
    const brand = await service.createBrand()
    const child = spawnTossup(['webhook', 'listen', '--brand', brand.slug], settings)
    await child.stderr.getReader().read()
    child.kill('SIGKILL')
    await child.exited
    expect((await rowsOf(brand))[0]).toBe(1)
    await service.db.updateTable('listeners').set({ listening_until: Date.now() }).execute()
    await eventually(async () => Bun.deepEquals(await rowsOf(brand), [0, 0, 0]))
    const { slug } = await service.createPoll(brand)
    // The events go to the feed of the brand alone.
    await eventually(async () => (await rowsOf(brand))[2] === 0)
    await service.vote(slug, 'A')
    expect(await rowsOf(brand)).toEqual([0, 0, 0])
  }, 60_000)

  test('prints what is wrong with its arguments', async () => {
    for (const [words, code, message] of [
      [[], 2, '--brand is missing or empty.'],
      [['--brand', 'no-such-brand'], 1, 'There is no brand with the slug no-such-brand.'],
      [['--brand', 'x', '--events', 'poll.imagined'], 2, '"poll.imagined" is not an event.'],
      [['--brand', 'x', '--events', ''], 2, '--events is missing or empty.'],
      [['--brand', randomUUID().slice(0, 8), 'more'], 2, 'Unexpected argument "more".'],
    ] as const) {
      const ended = await tossup(['webhook', 'listen', ...words], settings)
      expect([ended.code, ended.stderr.startsWith(message)]).toEqual([code, true])
    }
  }, 60_000)
})
