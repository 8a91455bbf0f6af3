import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { newPlace, type Place, type Serving, tossupJson } from './command.ts'
import { engines } from './engines.ts'
import { serveUnlimited } from './stopping-server.ts'

// Processes start slowly on a busy machine.
setDefaultTimeout(180_000)

const CODES = 200

interface Verified {
  readonly isSound: boolean
  readonly faults: readonly string[]
  readonly counts: { readonly votes: number }
}

describe.each([...engines])('%s: codes in a process that is killed', (engine) => {
  let place: Place
  let server: Serving
  let token: string

  beforeEach(async () => {
    place = await newPlace(engine)
    await tossupJson(['brand', 'create', '--slug', 'acme', '--name', 'Acme'], place.settings)
    const app = await tossupJson(['app', 'create', '--brand', 'acme', '--scopes', 'manage'], place.settings)
    server = await serveUnlimited(place)
    const headers = { 'X-API-Key-ID': `${app['apiKeyId']}`, 'X-API-Key-Secret': `${app['apiKeySecret']}` }
    token = (await post<{ accessToken: string }>('auth/token', { headers, json: { externalDeviceId: 'owner' } }))
      .accessToken
  })
  afterEach(async () => {
    server.kill('SIGKILL')
    await server.ended
    await place.clear()
  })

  async function post<Data>(path: string, { headers = {}, json }: { headers?: Record<string, string>; json: object }) {
    const response = await fetch(`${server.url}/api/rest/v1/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(json),
    })
    return ((await response.json()) as { data: Data }).data
  }

  const write = <Data>(path: string, json: object) =>
    post<Data>(`brands/me/${path}`, {
      headers: { Authorization: `Bearer ${token}`, 'X-Service-Idempotency-Key': randomUUID() },
      json,
    })

  /** The status, or null if no answer came. */
  async function vote(poll: string, code: string): Promise<number | null> {
    try {
      const response = await fetch(`${server.url}/api/rest/v1/polls/${poll}/votes`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Device-Id': randomUUID(), 'X-Vote-Code': code },
        body: JSON.stringify({ option: 'A' }),
      })
      await response.text()
      return response.status
    } catch {
      return null
    }
  }

  test('kill -9 during votes: votes are uses, an acknowledged code votes no more, and the others once', async () => {
    const { codeListId } = await write<{ codeListId: string }>('code-lists', { name: 'Members' })
    const { codes } = await write<{ codes: string[] }>(`code-lists/${codeListId}/codes`, { count: CODES })
    const options = { optionA: { label: 'Yes' }, optionB: { label: 'No' } }
    const { slug } = await write<{ slug: string }>('polls', { title: 'Shall we?', ...options, codeListId })
    const answers: { code: string; status: number | null }[] = []
    const left = [...codes]
    // Each code three times at once, from as many devices. A few codes at a time, so that the kill comes before the last vote.
    const sender = async () => {
      for (let code = left.pop(); code !== undefined; code = left.pop()) {
        const cast = code
        answers.push(
          ...(await Promise.all([1, 2, 3].map(async () => ({ code: cast, status: await vote(slug, cast) })))),
        )
        if (answers.length >= 90) server.kill('SIGKILL')
      }
    }
    await Promise.all(Array.from({ length: 10 }, sender))
    await server.ended
    expect(answers.some(({ status }) => status === null)).toBe(true)
    const before = await tossupJson<Verified>(['verify'], place.settings)
    expect([before.isSound, before.faults]).toEqual([true, []])
    expect(before.counts.votes).toBeGreaterThanOrEqual(30)

    server = await serveUnlimited(place)
    const accepted = new Set(answers.filter(({ status }) => status === 201).map(({ code }) => code))
    expect(accepted.size).toBe(answers.filter(({ status }) => status === 201).length)
    const again: (number | null)[] = []
    for (let at = 0; at < codes.length; at += 20)
      again.push(...(await Promise.all(codes.slice(at, at + 20).map((code) => vote(slug, code)))))
    for (const [i, status] of again.entries())
      expect(status === 409 || (status === 201 && !accepted.has(codes[i] as string))).toBe(true)
    expect(again.filter((status) => status === 409)).toHaveLength(before.counts.votes)
    const after = await tossupJson<Verified>(['verify'], place.settings)
    expect([after.isSound, after.faults, after.counts.votes]).toEqual([true, [], CODES])
  })
})
