import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { Webhook } from 'standardwebhooks'
import { faultsOf, verifyBackup } from '../src/cli/backup/load-backup.ts'
import { newPlace, type Place, type Serving, serve, tossup, tossupJson } from './command.ts'
import { startLoad, vote } from './crash/load.ts'
import { Witness } from './crash/witness.ts'
import { engines } from './engines.ts'
import { Receiver } from './receiver.ts'

// Processes start slowly on a busy machine.
setDefaultTimeout(60_000)

const SERVING = {
  DEMO: 'true',
  LOG_LEVEL: 'warn',
  WEBHOOK_ALLOW_PRIVATE: 'true',
  VOTES_PER_MINUTE: '1000000',
  NETWORK_VOTES_PER_MINUTE: '0',
  NETWORK_BRAND_VOTES_PER_MINUTE: '0',
}

interface DemoPoll {
  readonly slug: string
  readonly status: string
  readonly optionA: { readonly imageUrl: string | null }
}

async function* inChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
}

/** Simulates a server that is in the middle of its deliveries when the backup is made. */
async function leaseWebhooks({ settings }: Place): Promise<void> {
  const url = settings['DATABASE_URL']
  if (url === undefined) return
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const anHourFromNow = Date.now() + 3_600_000
  await client.query(`update webhooks set leased_by = 'another server', leased_until = $1`, [anHourFromNow])
  await client.end()
}

describe.each([...engines])('%s: a backup', (engine) => {
  let place: Place
  let server: Serving
  let token: string
  let secret: string
  let file: string
  let acknowledged: number
  const places: Place[] = []
  const witness = new Witness()
  const receiver = new Receiver()
  const anotherPlace = async () => {
    const made = await newPlace(engine)
    places.push(made)
    return made
  }

  const api = async <Data>(url: string, path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${url}/api/rest/v1/${path}`, init)
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`)
    return (JSON.parse(text) as { data: Data }).data
  }
  const demoPolls = (url: string) => api<DemoPoll[]>(url, `brands/${server.said.demo?.brand}/polls`)

  beforeAll(async () => {
    place = await anotherPlace()
    server = await serve({ ...place.settings, ...SERVING })
    const demo = server.said.demo
    if (!demo) throw new Error('there is no demo')
    const key = { 'X-API-Key-ID': demo.apiKeyId, 'X-API-Key-Secret': demo.apiKeySecret }
    const json = { 'Content-Type': 'application/json' }
    const given = { method: 'POST', headers: { ...json, ...key }, body: '{"externalDeviceId":"owner"}' }
    token = (await api<{ accessToken: string }>(server.url, 'auth/token', given)).accessToken
    const headers = { ...json, Authorization: `Bearer ${token}`, 'X-Service-Idempotency-Key': 'the-one-webhook' }
    const body = JSON.stringify({ url: receiver.url, events: ['poll.voted'] })
    secret = (await api<{ secret: string }>(server.url, 'brands/me/webhooks', { method: 'POST', headers, body })).secret

    const open = (await demoPolls(server.url)).filter(({ status }) => status === 'open')
    const polls = open.map(({ slug }) => slug)
    // Enough to change the database at each moment, and little enough to leave the backup a core.
    const load = startLoad({ url: server.url, polls, witness, voters: 8, pauseMs: 20 })
    await load.untilAccepted(300)
    acknowledged = witness.attempts.length
    file = join(place.dataDir, 'tossup-backup.tar')
    const told = witness.attempts.filter((attempt) => witness.told(attempt))
    await leaseWebhooks(place)
    const report = await tossupJson<{ counts: { votes: number } }>(['backup', file], place.settings)
    await load.stop()
    expect(report.counts.votes).toBeGreaterThanOrEqual(told.length)
  })
  afterAll(async () => {
    server.kill('SIGTERM')
    await server.ended
    await receiver.stop()
    for (const each of places) await each.clear()
  })

  test('made under load is sound, and holds every vote that was acknowledged before it began', async () => {
    expect(await tossupJson(['verify', file], {})).toMatchObject({ isSound: true, faults: [] })
    const target = await anotherPlace()
    const restored = await tossupJson<{ counts: object }>(['restore', file], target.settings)
    expect(await tossupJson(['verify'], target.settings)).toMatchObject({ isSound: true, counts: restored.counts })

    const before = witness.attempts.slice(0, acknowledged).filter((attempt) => witness.told(attempt))
    const again = await serve({ ...target.settings, ...SERVING })
    try {
      await Promise.all(before.map((attempt) => vote({ url: again.url, witness }, attempt)))
      expect([witness.doubled, witness.contradictions]).toEqual([[], []])

      const [poll] = (await demoPolls(again.url)).filter(
        ({ status, optionA }) => status === 'open' && optionA.imageUrl !== null,
      )
      const { pathname } = new URL(poll?.optionA.imageUrl ?? '')
      const picture = await fetch(again.url + pathname)
      expect([picture.status, (await picture.bytes()).length > 1_000]).toEqual([200, true])
      const owner = { headers: { Authorization: `Bearer ${token}` } }
      expect((await fetch(`${again.url}/api/rest/v1/brands/me/polls`, owner)).status).toBe(200)

      const count = receiver.received.length
      await vote({ url: again.url, witness }, { poll: poll?.slug ?? '', device: crypto.randomUUID() })
      const [received] = (await receiver.until((all) => all.length > count)).slice(count)
      expect(() => new Webhook(secret).verify(received?.body ?? '', received?.headers ?? {})).not.toThrow()
    } finally {
      again.kill('SIGTERM')
      await again.ended
    }
  })

  test('that is cut or changed anywhere is refused, and nothing of it is left', async () => {
    const whole = readFileSync(file)
    const check = async (bytes: Uint8Array) => faultsOf(await verifyBackup(inChunks(bytes)))
    expect(await check(whole)).toEqual([])
    for (let i = 1; i < 8; i++) {
      expect(check(whole.subarray(0, Math.floor((whole.length * i) / 8)))).rejects.toThrow(/incomplete/)
      const changed = Buffer.from(whole)
      const at = Math.floor(((whole.length - 1_024) * i) / 8)
      changed[at] = (changed[at] ?? 0) ^ 0x10
      expect(check(changed)).rejects.toThrow()
    }
    const cut = join(place.dataDir, 'cut.tar')
    writeFileSync(cut, whole.subarray(0, -2_048))
    const target = await anotherPlace()
    const { code, stderr } = await tossup(['restore', cut], target.settings)
    expect([code, stderr]).toEqual([1, 'The archive is incomplete: it ends before its manifest.\n'])
    expect(existsSync(join(target.dataDir, 'tossup.sqlite'))).toBe(false)
    // The place is still empty.
    await tossupJson(['restore', file], target.settings)
  })
})
