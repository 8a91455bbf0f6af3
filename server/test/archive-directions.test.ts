import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import pg from 'pg'
import { Webhook } from 'standardwebhooks'
import { fillEmptyTables, rowsOf } from './archive-rows.ts'
import { createCampaign } from './campaigns.ts'
import { createCodeList, issueCodes, voteByCode } from './codes.ts'
import { newPlace, type Place, type Settings, TEST_SECRET, tossup, tossupJson } from './command.ts'
import { engines } from './engines.ts'
import { addMember } from './people.ts'
import { photo, svg } from './pictures.ts'
import { deletePoll } from './polls.ts'
import { Receiver } from './receiver.ts'
import { type PollData, startTestService, type TestBrand } from './service.ts'
import { upload } from './uploads.ts'
import { createWebhook } from './webhooks.ts'

// PostgreSQL connections: 14

// Processes start slowly on a busy machine.
setDefaultTimeout(60_000)

const settingsOf = ({ settings }: Place): Settings => ({ ...settings, SECRET_KEY: TEST_SECRET })
const serviceIn = (place: Place) =>
  startTestService('sqlite', {
    settings: { ...settingsOf(place), WEBHOOK_ALLOW_PRIVATE: 'true' },
    keepsData: true,
    jobs: 'by hand',
  })

/** The extension has views in the schema of the service, as Citus has. */
async function addExtension(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query('create extension pg_stat_statements')
  await client.end()
}

describe.each([...engines])('%s: a backup', (from) => {
  const receiver = new Receiver()
  const device = randomUUID()
  const places: Place[] = []
  let place: Place
  let file: string
  let brand: TestBrand
  let poll: PollData
  let secret: string
  let resultsPath: string
  let deletedKey: number

  beforeAll(async () => {
    place = await newPlace(from)
    places.push(place)
    const service = await serviceIn(place)
    brand = await service.createBrand()
    poll = await service.createPoll(brand, { title: 'Tea or "coffee"\\?', tags: ['breakfast'] })
    const other = await service.createPoll(brand)
    const picture = await upload(service, brand, { slot: 'optionA', contentType: 'image/png', bytes: photo(40, 30) })
    const logo = svg('<path d="M0 0h9v9z"/>')
    const logoLight = await upload(service, brand, { slot: 'logo_light', contentType: 'image/svg+xml', bytes: logo })
    const write = (path: string, json: object) => service.write('PATCH', path, { token: brand.token, json })
    expect((await write(`brands/me/polls/${other.slug}`, { optionA: { imageUrl: picture.publicUrl } })).status).toBe(
      200,
    )
    const theme = { logoLightUrl: logoLight.publicUrl, customCss: '.poll { border-style: dashed; }' }
    expect((await write('brands/me/theme', theme)).status).toBe(200)
    await createCampaign(service, brand, [poll, other])
    await addMember(service, brand, 'owner')
    secret = (await createWebhook(service, brand, { url: receiver.url, events: ['poll.voted'] })).secret
    for (const voter of [device, randomUUID(), randomUUID()]) await service.vote(poll.slug, 'B', voter)
    await service.vote(other.slug, 'A', device)
    const links = `brands/me/polls/${poll.slug}/results-links`
    const { url } = (await service.write<{ url: string }>('POST', links, { token: brand.token, json: {} })).body.data
    resultsPath = new URL(url).pathname
    const { codeListId } = await createCodeList(service, brand, 'Members')
    const [code = ''] = await issueCodes(service, brand, { codeListId, count: 2 })
    await voteByCode(service, await service.createPoll(brand, { codeListId }), { code, device })
    const deleted = await service.createPoll(brand)
    await deletePoll(service, brand, deleted.slug)
    const { key } = await service.db
      .insertInto('categories')
      .values(category())
      .returning('key')
      .executeTakeFirstOrThrow()
    deletedKey = key
    await service.db.deleteFrom('categories').where('key', '=', key).execute()
    await service.runDue()
    await fillEmptyTables(service)
    await service.db
      .updateTable('webhooks')
      .set({ leased_by: 'another server', leased_until: Date.now() + 1e9 })
      .execute()
    await service.stop()
    file = join(place.dataDir, 'backup.tar')
    await tossupJson(['backup', file], settingsOf(place))
  })
  afterAll(async () => {
    await receiver.stop()
    for (const each of places) await each.clear()
  })

  const category = () => ({ id: randomUUID(), slug: randomUUID(), name: 'Food', created_at: 1 })

  test.each([...engines])('goes to %s with every row, and what it was made of works there', async (to) => {
    const target = await newPlace(to)
    places.push(target)
    const settings = settingsOf(target)
    if (to === 'postgres') await addExtension(settings['DATABASE_URL'] ?? '')
    expect(await tossupJson(['restore', file], settings)).toMatchObject({ restored: true, missingFiles: [] })
    const [before, after] = [await rowsOf(settingsOf(place)), await rowsOf(settings)]
    expect(Object.keys(after)).toEqual(Object.keys(before))
    for (const [table, rows] of Object.entries(before)) {
      expect([table, rows.length > 0]).toEqual([table, true])
      expect([table, after[table]]).toEqual([table, rows])
    }
    expect(await tossupJson(['verify'], settings)).toMatchObject({ isSound: true })

    const service = await serviceIn(target)
    try {
      const count = receiver.received.length
      expect((await service.vote(poll.slug, 'A', device)).status).toBe(409)
      expect((await service.vote(poll.slug, 'A', randomUUID())).status).toBe(201)
      const { body } = await service.get<PollData>(`polls/${poll.slug}`)
      expect(body.data.tallies).toMatchObject({ optionA: 1, optionB: 3 })
      expect((await service.get('brands/me/polls', { token: brand.token })).status).toBe(200)
      expect((await service.get(resultsPath)).status).toBe(200)
      await service.runDue()
      const [received] = (await receiver.until((all) => all.length > count)).slice(count)
      expect(() => new Webhook(secret).verify(received?.body ?? '', received?.headers ?? {})).not.toThrow()
      const added = service.db.insertInto('categories').values(category()).returning('key')
      expect((await added.executeTakeFirstOrThrow()).key).toBeGreaterThan(deletedKey)
    } finally {
      await service.stop()
    }
    expect(await tossupJson(['verify'], settings)).toMatchObject({ isSound: true, counts: { votes: 6 } })
    const again = await tossup(['restore', file], settings)
    expect([again.code, again.stderr]).toEqual([1, expect.stringMatching(/is not empty: it has/)])
  })
})
