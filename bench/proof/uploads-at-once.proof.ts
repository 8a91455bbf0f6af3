import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import {
  ChildService,
  createHome,
  createOwner,
  expectStatus,
  type Home,
  OwnerClient,
} from '../../server/test/child-service.ts'
import { engines } from '../../server/test/engines.ts'
import { ADMIN_URL } from '../../server/test/own-database.ts'
import { filledUp, jpegOf, photo } from '../../server/test/pictures.ts'
import { pathOf, type TicketData } from '../../server/test/uploads.ts'

// `npm run bench -- --uploads` does this with twelve million pixels each, and measures the effect on votes.
setDefaultTimeout(300_000)

const MANY = 100
const PAUSE_MS = 50
const FIVE_MIB = 5 * 1024 * 1024
const MOST_MEMORY = 300e6

describe.each([...engines])('%s: a hundred uploads of 5 MiB at once', (engine) => {
  let home: Home
  let server: ChildService
  let client: OwnerClient
  beforeAll(async () => {
    home = await createHome(engine === 'postgres' ? ADMIN_URL : null)
    const owner = await createOwner(home, 'crowd')
    server = await ChildService.start(home)
    client = await OwnerClient.connect(server.url, owner)
    await client.createPoll('crowd')
  })
  afterAll(async () => {
    await server.stop()
    await home.remove()
  })

  async function newTicket(): Promise<TicketData> {
    const answer = await fetch(`${server.url}/api/rest/v1/brands/me/polls/crowd/images/upload-url`, {
      method: 'POST',
      headers: {
        ...client.headers,
        'Content-Type': 'application/json',
        'X-Service-Idempotency-Key': crypto.randomUUID(),
      },
      body: JSON.stringify({ slot: 'optionA', contentType: 'image/jpeg', byteSize: FIVE_MIB }),
    })
    return ((await expectStatus(answer, 200)) as { data: TicketData }).data
  }

  async function vote(): Promise<number> {
    const startedAt = performance.now()
    const answer = await fetch(`${server.url}/api/rest/v1/polls/crowd/votes`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Device-Id': crypto.randomUUID() },
      body: '{"option":"A"}',
    })
    await expectStatus(answer, 201)
    return performance.now() - startedAt
  }

  const memory = () =>
    Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) * 1024

  test('are all accepted, within 300 MB, and votes do not wait for them', async () => {
    const bytes = filledUp(await jpegOf(photo(640, 480)), FIVE_MIB)
    const tickets = await Promise.all(Array.from({ length: MANY }, newTicket))
    let isOver = false
    let peak = 0
    const waits: number[] = []
    const watch = setInterval(() => {
      peak = Math.max(peak, memory())
    }, 10)
    const voters = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        waits.push(await vote())
        // Real time: votes as fast as possible would only take the processor from the uploads.
        await Bun.sleep(PAUSE_MS)
      }
    })
    const statuses = await Promise.all(
      tickets.map(async ({ uploadUrl, headers }) => {
        const answer = await fetch(server.url + pathOf(uploadUrl), { method: 'PUT', headers, body: bytes })
        await answer.text()
        return answer.status
      }),
    )
    isOver = true
    await Promise.all(voters)
    clearInterval(watch)
    expect(statuses.filter((status) => status !== 200)).toEqual([])
    expect(peak).toBeGreaterThan(0)
    expect(peak).toBeLessThan(MOST_MEMORY)
    expect(waits.length).toBeGreaterThan(100)
    const median = waits.sort((a, b) => a - b)[Math.floor(waits.length / 2)] ?? 0
    expect(median).toBeLessThan(500)
    for (const { publicUrl } of tickets) {
      const shown = await fetch(server.url + pathOf(publicUrl), { method: 'HEAD' })
      expect(shown.status).toBe(200)
    }
  })
})
