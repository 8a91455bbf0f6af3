import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { Db } from '../../server/src/db/store.ts'
import {
  ChildService,
  createHome,
  createOwner,
  expectStatus,
  type Home,
  inDatabase,
  OwnerClient,
} from '../../server/test/child-service.ts'
import { engines } from '../../server/test/engines.ts'
import { eventually } from '../../server/test/eventually.ts'
import { ADMIN_URL } from '../../server/test/own-database.ts'
import { paint } from '../../server/test/pictures.ts'
import { pathOf, type TicketData, type UploadedData } from '../../server/test/uploads.ts'

// Processes start slowly on a busy machine.
setDefaultTimeout(60_000)

const painted = paint({ width: 1_600, height: 1_200 }, (x, y) => [x & 255, y & 255, (x * y) & 255])
const png = await new Bun.Image(painted).png().bytes()

const isHeld = async (db: Db) =>
  (await db.selectFrom('upload_tickets').select('key').where('held_by', 'is not', null).execute()).length > 0

const letLeasesRunOut = (db: Db) =>
  db.updateTable('files').set({ variants_due_at: 1 }).where('variants_due_at', 'is not', null).execute()

describe.each([...engines])('%s: kill -9', (engine) => {
  let home: Home
  let server: ChildService
  let client: OwnerClient
  beforeEach(async () => {
    home = await createHome(engine === 'postgres' ? ADMIN_URL : null)
    const owner = await createOwner(home, 'crash')
    server = await ChildService.start(home)
    client = await OwnerClient.connect(server.url, owner)
    await client.createPoll('crash')
  })
  afterEach(async () => {
    await server.stop()
    await home.remove()
  })

  async function post<Data>(method: string, path: string, json: unknown): Promise<Data> {
    const headers = { ...client.headers, 'Content-Type': 'application/json' }
    const answer = await fetch(`${server.url}/api/rest/v1/${path}`, {
      method,
      headers: { ...headers, 'X-Service-Idempotency-Key': crypto.randomUUID() },
      body: JSON.stringify(json),
    })
    return ((await expectStatus(answer, 200)) as { data: Data }).data
  }

  const newTicket = (slot = 'optionA') =>
    post<TicketData>('POST', 'brands/me/polls/crash/images/upload-url', { slot, contentType: 'image/png' })

  const put = (ticket: TicketData) =>
    fetch(server.url + pathOf(ticket.uploadUrl), { method: 'PUT', headers: ticket.headers, body: png })

  const uploads = () => readdir(join(home.dataDir, 'uploads'))

  test('during an upload leaves no visible file, and nothing on the disk after the next start', async () => {
    const ticket = await newTicket()
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(
      `PUT ${pathOf(ticket.uploadUrl)} HTTP/1.1\r\nHost: x\r\nContent-Type: image/png\r\nContent-Length: 9999\r\n\r\nhalf`,
    )
    await eventually(() => inDatabase(home, ({ engine: { db } }) => isHeld(db)))
    await server.kill()
    expect(await uploads()).toHaveLength(1)
    server = await ChildService.start(home)
    // On PostgreSQL another server might still be writing there, so only old files are removed.
    expect(await uploads()).toHaveLength(engine === 'sqlite' ? 0 : 1)
    expect((await fetch(server.url + pathOf(ticket.publicUrl))).status).toBe(404)
    expect((await put(ticket)).status).toBe(404)
    const next = await put(await newTicket())
    expect(next.status).toBe(200)
  })

  test('while variants are made leaves their making to the next server', async () => {
    const files: UploadedData[] = []
    for (const slot of ['optionA', 'optionB']) {
      const answer = await put(await newTicket(slot))
      files.push(((await expectStatus(answer, 200)) as { data: UploadedData }).data)
    }
    const [a, b] = files.map(({ publicUrl }) => publicUrl)
    await post('PATCH', 'brands/me/polls/crash', { optionA: { imageUrl: a }, optionB: { imageUrl: b } })
    const names = () => readdir(join(home.dataDir, 'files'))
    await eventually(async () => (await names()).filter((name) => /-\d+\.webp$/.test(name)).length > 8, { everyMs: 1 })
    await server.kill()
    // On PostgreSQL another server might still be making them, until its lease runs out two minutes later.
    if (engine === 'postgres') await inDatabase(home, ({ engine: { db } }) => letLeasesRunOut(db))
    server = await ChildService.start(home)
    const widths = async () => {
      const answer = (await expectStatus(await fetch(`${server.url}/api/rest/v1/polls/crash`), 200)) as {
        data: { imageVariants: { slot: string; width: number; url: string }[] }
      }
      return answer.data.imageVariants
    }
    await eventually(async () => (await widths()).length >= 12)
    const made = await widths()
    expect(made.map(({ slot, width }) => `${slot} ${width}`)).toEqual(
      ['optionA', 'optionB', 'combined'].flatMap((slot) =>
        [320, 640, 960, slot === 'combined' ? 1_024 : 1_280].map((width) => `${slot} ${width}`),
      ),
    )
    for (const { url } of made) expect((await fetch(server.url + pathOf(url))).status).toBe(200)
    expect((await names()).filter((name) => name.endsWith('.webp'))).toHaveLength(13)
  })
})
