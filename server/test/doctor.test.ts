import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Finding, REMEDIES } from '../src/cli/doctor/remedies.ts'
import { openDatabase } from '../src/db/open.ts'
import { transaction } from '../src/db/transaction.ts'
import { newPlace, type Place, type Serving, type Settings, serve, TEST_SECRET, tossup } from './command.ts'
import { engines } from './engines.ts'
import { freePort } from './free-port.ts'

// Processes start slowly on a busy machine.
setDefaultTimeout(60_000)

async function examined(settings: Settings) {
  const { code, stdout, stderr } = await tossup(['doctor', '--json'], settings)
  expect(stderr).toBe('')
  const { findings } = JSON.parse(stdout) as { findings: Finding[] }
  const of = (part: string, status: Finding['status']) =>
    findings.filter((each) => each.part === part && each.status === status).map(({ found }) => found)
  return { code, findings, faults: findings.filter(({ status }) => status === 'fault'), of }
}

describe.each([...engines])('%s: the doctor', (engine) => {
  let place: Place
  let server: Serving
  let settings: Settings

  beforeAll(async () => {
    place = await newPlace(engine)
    const [port, metricsPort] = [String(freePort()), String(freePort())]
    settings = { ...place.settings, PORT: port, METRICS_PORT: metricsPort }
    server = await serve({ ...settings, DEMO: 'true', LOG_LEVEL: 'error' })
  })
  afterAll(async () => {
    server.kill('SIGTERM')
    await server.ended
    await place.clear()
  })

  test('finds no fault in a healthy server, and says what it looked at', async () => {
    const { code, faults, findings } = await examined(settings)
    expect([code, faults]).toEqual([0, []])
    const parts = findings.map(({ part }) => part)
    for (const part of ['settings', 'disk', 'disk speed', 'database', 'migrations', 'secret', 'votes', 'pictures'])
      expect(parts).toContain(part)
    for (const part of ['webhooks', 'PUBLIC_URL']) expect(parts).toContain(part)
    const { stdout } = await tossup(['doctor'], settings)
    expect(stdout).toMatch(/^(?:(?:ok {5}|warning) {2}[\w ]+: .+\.\n)+Found no fault(?:, and \d+ warnings?)?\.\n$/)
  })

  test('names a wrong tally, a missing picture and a failing webhook, with what to do', async () => {
    const secretKeys = engine === 'postgres' ? [TEST_SECRET] : []
    const database =
      engine === 'postgres' ? { engine, url: place.settings['DATABASE_URL'] ?? '' } : { engine, dataDir: place.dataDir }
    const { engine: opened } = await openDatabase({ database, secretKeys })
    try {
      // The server writes too: a transaction waits for its turn.
      await transaction(opened, async (db) => {
        await db
          .updateTable('tallies')
          .set((eb) => ({ option_a: eb('option_a', '+', 1) }))
          .where('option_a', '>', 0)
          .execute()
        const brand = await db.selectFrom('brands').select('key').executeTakeFirstOrThrow()
        const times = { created_at: 1, updated_at: 1, failing_since: 1_700_000_000_000 }
        const webhook = {
          id: 'hook',
          brand_key: brand.key,
          url: 'https://x.example/',
          events: '[]',
          secret: new Uint8Array(1),
        }
        await db
          .insertInto('webhooks')
          .values({ ...webhook, ...times, status: 'ACTIVE' })
          .execute()
      })
    } finally {
      await opened.close()
    }
    // One that was uploaded: the server still makes the others, and notes them afterwards.
    const shown = await fetch(`${server.url}/api/rest/v1/polls/tea-or-coffee`)
    const { data } = (await shown.json()) as { data: { optionA: { imageUrl: string } } }
    const picture = basename(data.optionA.imageUrl)
    rmSync(join(place.dataDir, 'files', picture))
    const { code, of } = await examined(settings)
    expect(code).toBe(1)
    expect(of('votes', 'fault')).toEqual([
      expect.stringMatching(
        /^Tallies differ from their votes: The tally of poll \S+ is \d+:\d+, and its votes are \d+:\d+/,
      ),
    ])
    expect(of('pictures', 'fault')).toEqual([expect.stringContaining(picture)])
    expect(of('webhooks', 'warning')).toEqual([
      expect.stringContaining('The receivers of some webhooks fail: hook of corner-cafe since 2023-'),
    ])
  })

  test('names each service that cannot be used, and a wrong secret', async () => {
    const nowhere = `127.0.0.1:${freePort()}`
    const { code, of } = await examined({
      ...settings,
      SMTP_URL: `smtp://${nowhere}`,
      S3_URL: `s3+http://key:secret@${nowhere}/bucket`,
      PUBLIC_URL: `http://${nowhere}`,
      SECRET_KEY: 'another secret that is long enough for this',
      VOTES_PER_MINUT: '5',
    })
    expect(code).toBe(1)
    for (const part of ['SMTP', 'PUBLIC_URL', 'secret', 'pictures'])
      expect([part, of(part, 'fault').length]).toEqual([part, 1])
    expect(of('settings', 'warning')).toEqual(['VOTES_PER_MINUT is not a setting'])
    expect((await examined({ ...settings, PORT: 'many' })).of('settings', 'fault')).toEqual([
      expect.stringMatching(/^PORT /),
    ])
  })
})

test('the doctor finds that PUBLIC_URL leads to another Tossup, and knows the address of its own server', async () => {
  const [own, other] = [await newPlace('sqlite'), await newPlace('sqlite')]
  const servers = [await serve(own.settings), await serve(other.settings)]
  try {
    // Without PORT: the server has stored its address.
    expect((await examined(own.settings)).of('PUBLIC_URL', 'ok')).toEqual([
      `${servers[0]?.url} leads to a server that takes votes`,
    ])
    const { code, findings } = await examined({ ...own.settings, PUBLIC_URL: servers[1]?.url ?? '' })
    expect(code).toBe(1)
    expect(findings.find(({ part }) => part === 'PUBLIC_URL')).toMatchObject({
      status: 'fault',
      found: `${servers[1]?.url} leads to a Tossup with another database`,
      advice: REMEDIES.address_other.advice,
    })
  } finally {
    for (const server of servers) server.kill('SIGTERM')
    for (const server of servers) await server.ended
    for (const place of [own, other]) await place.clear()
  }
})

test('the doctor finds a BACKUP_URL that cannot be written, and leaves nothing in one that can', async () => {
  const place = await newPlace('sqlite')
  try {
    await tossup(['migrate'], place.settings)
    const file = join(place.dataDir, 'a file')
    writeFileSync(file, '')
    const { findings } = await examined({ ...place.settings, BACKUP_URL: join(file, 'backups') })
    expect(findings.find(({ part }) => part === 'backups')).toMatchObject({
      status: 'fault',
      found: expect.stringMatching(/^Cannot use BACKUP_URL .+ENOTDIR/),
      advice: REMEDIES.backups_unwritable.advice,
    })
    const folder = join(place.dataDir, 'backups')
    expect((await examined({ ...place.settings, BACKUP_URL: folder })).of('backups', 'warning')).toHaveLength(1)
    expect(readdirSync(folder)).toEqual([])
  } finally {
    await place.clear()
  }
})

test('the doctor distinguishes a missing folder from a damaged one', async () => {
  const { code, of } = await examined({ DATA_DIR: '/nonexistent/tossup' })
  expect(code).toBe(1)
  expect(of('disk', 'warning')).toEqual(['DATA_DIR /nonexistent/tossup does not exist'])
  expect(of('database', 'fault')).toEqual([expect.stringMatching(/has no database/)])
})
