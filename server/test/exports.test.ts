import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { allVoters } from '../src/features/analytics/voters.ts'
import { pollKeyOf } from './ballot-box.ts'
import { fetchRaw } from './content-codings.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { addMember } from './people.ts'
import { deletePoll, problemsOf } from './polls.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'
import { LAST_CHUNK, SlowReader } from './slow-reader.ts'
import { castMany, recordsOf, type VoterData, voters } from './voters.ts'

// A hundred thousand votes take long on a busy machine.
setDefaultTimeout(60_000)

describe.each([...engines])('%s: the voters of a poll as a file', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine, { settings: { LOG_LEVEL: 'warn' } })
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const path = (slug: string) => `brands/me/polls/${slug}/voters`
  const csv = (slug: string, method = 'GET') =>
    service.request(method, path(slug), { token: brand.token, headers: { Accept: 'text/csv' } })

  async function pollWith(votes: number): Promise<PollData> {
    const poll = await service.createPoll(brand)
    if (votes > 0) await castMany(service, await pollKeyOf(service, poll), votes)
    return poll
  }

  let large: Promise<PollData> | null = null
  /** Made once, because so many votes take long. */
  const largePoll = (): Promise<PollData> => (large ??= pollWith(100_000))

  const written = ({ respondentId, option, votedAt, position }: VoterData) => ({
    respondentId,
    option,
    votedAt,
    position: String(position),
    label: option === 'A' ? 'Tea' : 'Coffee',
    title: 'Tea or coffee?',
  })

  test('has the rows of the list, in its order', async () => {
    const poll = await pollWith(2_345)
    const listed = await voters(service, brand, poll.slug)
    const { status, headers, text } = await csv(poll.slug)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8; header=present'])
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="voters-${poll.slug}.csv"; filename*=UTF-8''voters%20-%20Tea%20or%20coffee.csv`,
    )
    expect([headers.get('vary'), headers.get('cache-control')]).toEqual([
      'Accept-Encoding, Accept',
      'private, no-store',
    ])
    expect(text).toStartWith('respondentId,option,votedAt,position,label,title\r\n')
    expect(recordsOf(text)).toEqual(listed.map(written))
    expect(listed.every(({ respondentId }) => respondentId.startsWith('r_'))).toBeTrue()
    const lines = await service.get(path(poll.slug), {
      token: brand.token,
      headers: { Accept: 'application/x-ndjson, text/csv;q=0.5' },
    })
    expect(lines.headers.get('content-type')).toBe('application/x-ndjson')
    expect(lines.headers.get('content-disposition')).toBe(
      `attachment; filename="voters-${poll.slug}.ndjson"; filename*=UTF-8''voters%20-%20Tea%20or%20coffee.ndjson`,
    )
    expect(
      lines.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(listed)
  })

  test.each([0, 1, 499, 500, 501, 1_000])('of %d votes is complete', async (votes) => {
    const { slug } = await pollWith(votes)
    expect(recordsOf((await csv(slug)).text).map(({ position }) => Number(position))).toEqual(
      Array.from({ length: votes }, (_, i) => votes - i),
    )
  })

  test('holds no transaction open: a write in the middle does not wait', async () => {
    const poll = await pollWith(2_500)
    const pollKey = await pollKeyOf(service, poll)
    const parts = allVoters(service.db, pollKey, 1_000)
    expect((await parts.next()).value).toHaveLength(1_000)
    expect((await service.vote(poll.slug, 'A')).status).toBe(201)
    const rest: number[] = []
    for await (const part of parts) rest.push(...part.map(({ position }) => position))
    expect(rest).toEqual(Array.from({ length: 1_500 }, (_, i) => 1_500 - i))
  })

  test("is cut off when the poll's votes are deleted, and never ends as if it were complete", async () => {
    for (const left of [0, 500, 1_700]) {
      const poll = await pollWith(2_500)
      const pollKey = await pollKeyOf(service, poll)
      const parts = allVoters(service.db, pollKey, 1_000)
      await parts.next()
      const removed = service.db.deleteFrom('votes').where('poll_key', '=', pollKey)
      await removed.where('position', '<=', 2_500 - left).execute()
      await expect(Array.fromAsync(parts)).rejects.toThrow('removed')
      await deletePoll(service, brand, poll.slug)
    }
  })

  test('has no limit and no cursor', async () => {
    const { slug } = await pollWith(3)
    for (const query of ['limit=2', 'cursor=x', 'cursor=', 'limit=2&cursor=x']) {
      const reply = await service.get(`${path(slug)}?${query}`, { token: brand.token, headers: { Accept: 'text/csv' } })
      expect([reply.status, ...problemsOf(reply)]).toEqual([400, `${query.split('=')[0]} not_paged`])
    }
  })

  test.each([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['application/json, text/csv', 'application/json'],
    ['text/csv;q=0.9, application/json;q=0.8', 'text/csv; charset=utf-8; header=present'],
    ['text/html, application/xml', 'application/json'],
    ['nonsense', 'application/json'],
  ])('Accept: %p gets %s', async (accept, type) => {
    const { slug } = await pollWith(1)
    const headers: Record<string, string> = accept === undefined ? {} : { Accept: accept }
    const reply = await service.get(path(slug), { token: brand.token, headers })
    expect([reply.status, reply.headers.get('content-type'), reply.headers.get('vary')]).toEqual([
      200,
      type,
      'Accept-Encoding, Accept',
    ])
  })

  test('is the same file in every content coding', async () => {
    const { slug } = await pollWith(1_500)
    const url = `${service.service.url}/api/rest/v1/${path(slug)}`
    const text = (await csv(slug)).text
    for (const [accepted, coding] of [
      ['identity', null],
      ['gzip', 'gzip'],
      ['zstd', 'zstd'],
      ['gzip, deflate, br, zstd', 'zstd'],
      ['br', null],
    ] as const) {
      const headers = { Authorization: `Bearer ${brand.token}`, Accept: 'text/csv', 'Accept-Encoding': accepted }
      const answer = await fetchRaw(url, { headers })
      expect(answer.headers.get('content-encoding')).toBe(coding)
      expect(answer.headers.get('vary')).toBe('Accept-Encoding, Accept')
      expect(answer.text).toBe(text)
      if (coding) expect(answer.bytes.byteLength).toBeLessThan(0.8 * text.length)
      const head = await fetchRaw(url, { method: 'HEAD', headers })
      expect([head.headers.get('content-encoding'), head.bytes.byteLength]).toEqual([coding, 0])
    }
  })

  test('HEAD answers its headers without a body', async () => {
    const { slug } = await pollWith(1_500)
    const { status, headers, text } = await csv(slug, 'HEAD')
    expect([status, text, headers.get('content-type')]).toEqual([200, '', 'text/csv; charset=utf-8; header=present'])
  })

  test('a brand has at most four at once, and one that ends makes room', async () => {
    const { slug } = await largePoll()
    const open = () =>
      new SlowReader(`${service.service.url}/api/rest/v1/${path(slug)}`, {
        Authorization: `Bearer ${brand.token}`,
        // More than the buffers of a connection hold.
        Accept: 'application/x-ndjson',
      })
    const status = async () => (await csv(slug, 'HEAD')).status
    const until = (wanted: number) => eventually(async () => (await status()) === wanted)
    for (let i = 0; i < 10; i++) expect(await status()).toBe(200)
    for (let i = 0; i < 10; i++)
      expect(
        (await service.get(`${path(slug)}x`, { token: brand.token, headers: { Accept: 'text/csv' } })).status,
      ).toBe(404)
    const readers: SlowReader[] = []
    const fill = async () => {
      while ((await status()) !== 429) {
        const reader = open()
        // The status request may itself still occupy the last place, so this tries again.
        if ((await reader.status()) === 200) readers.push(reader)
      }
    }
    await fill()
    const refused = await csv(slug)
    expect([refused.body.error.code, refused.headers.get('retry-after')]).toEqual(['RATE_LIMITED', '5'])
    expect(refused.headers.get('ratelimit-policy')).toBe('"exports";q=4')
    expect((await service.get(path(slug), { token: brand.token })).status).toBe(200)
    const other = await service.createBrand()
    const { slug: others } = await service.createPoll(other)
    expect((await service.get(path(others), { token: other.token, headers: { Accept: 'text/csv' } })).status).toBe(200)
    readers[0]?.leave()
    await until(200)
    await fill()
    readers[1]?.read()
    expect(await readers[1]?.ended).toEndWith(LAST_CHUNK)
    await until(200)
    for (const reader of readers) reader.leave()
    for (let i = 0; i < 20; i++) open().leave()
    await until(200)
    expect(recordsOf((await csv(slug)).text)).toHaveLength(100_000)
  })

  test('holds the voters of the moment when it began, and its options add up to the tallies of that moment', async () => {
    const poll = await largePoll()
    const pollKey = await pollKeyOf(service, poll)
    let isOver = false
    let answered = 0
    const voting = (async () => {
      for (; !isOver; answered++) expect((await service.vote(poll.slug, 'B')).status).toBe(201)
    })()
    const records = recordsOf((await csv(poll.slug)).text)
    isOver = true
    expect(answered).toBeGreaterThan(3)
    await voting
    const highest = records.length
    expect(highest).toBeGreaterThanOrEqual(100_000)
    const all = await service.db
      .selectFrom('votes')
      .select('option')
      .where('poll_key', '=', pollKey)
      .where('position', '<=', highest)
      .execute()
    expect(all).toHaveLength(highest)
    for (const option of ['A', 'B']) {
      expect(records.filter((record) => record['option'] === option)).toHaveLength(
        all.filter((vote) => vote.option === option).length,
      )
    }
    const { tallies } = (await service.get<PollData>(`polls/${poll.slug}`)).body.data
    expect(tallies.total).toBeGreaterThan(highest)
  })

  test('ends within seconds for a removed member and a revoked app, and no sooner for others, also while nothing is read', async () => {
    const { slug } = await largePoll()
    const owner = await addMember(service, brand, 'owner')
    const analyst = await addMember(service, brand, 'analyst')
    const app = await service.createApp(brand.brandKey, ['analytics'])
    const { accessToken } = await service.exchange(app, 'a server')
    const readers: SlowReader[] = []
    for (const token of [analyst.token, accessToken, owner.token]) {
      const headers = { Authorization: `Bearer ${token}`, Accept: 'application/x-ndjson' }
      const reader = new SlowReader(`${service.service.url}/api/rest/v1/${path(slug)}`, headers)
      expect(await reader.status()).toBe(200)
      readers.push(reader)
    }
    const cutOff = () => service.logLines.filter((line) => line.includes('its caller has lost access')).length
    const { token } = owner
    expect((await service.write('DELETE', `brands/me/members/${analyst.memberId}`, { token })).status).toBe(204)
    expect((await service.write('DELETE', `brands/me/apps/${app.appId}`, { token })).status).toBe(204)
    await eventually(() => cutOff() === 2)
    for (const reader of readers) reader.read()
    const [ofAnalyst, ofApp, ofOwner] = await Promise.all(readers.map(({ ended }) => ended))
    expect(ofAnalyst).not.toEndWith(LAST_CHUNK)
    expect(ofApp).not.toEndWith(LAST_CHUNK)
    expect(ofOwner).toEndWith(LAST_CHUNK)
  })

  test('a failure before the first byte is answered as an error envelope', async () => {
    const { slug } = await pollWith(1)
    const { db } = service
    await db.schema.alterTable('votes').renameTo('votes_gone').execute()
    const reply = await csv(slug)
    await db.schema.alterTable('votes_gone').renameTo('votes').execute()
    expect([reply.status, reply.body.error.code]).toEqual([500, 'INTERNAL'])
    expect(reply.headers.get('content-disposition')).toBeNull()
  })

  test('a failure after the first byte cuts the connection', async () => {
    const poll = await largePoll()
    const pollKey = await pollKeyOf(service, poll)
    const reader = new SlowReader(`${service.service.url}/api/rest/v1/${path(poll.slug)}`, {
      Authorization: `Bearer ${brand.token}`,
      Accept: 'text/csv',
    })
    // The rest waits for the reader: it is more than the buffers of a connection hold.
    expect(await reader.status()).toBe(200)
    await service.db.deleteFrom('votes').where('poll_key', '=', pollKey).where('position', '<=', 100).execute()
    reader.read()
    const received = await reader.ended
    expect(received).toStartWith('HTTP/1.1 200 OK\r\n')
    expect(received).not.toEndWith(LAST_CHUNK)
    const requestId = /^x-request-id: (\S+)/im.exec(received)?.[1]
    expect(service.logLines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ msg: 'an export failed', requestId }),
    )
  })
})
