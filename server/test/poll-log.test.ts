import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createHash, randomUUID } from 'node:crypto'
import { transaction } from '../src/db/transaction.ts'
import { purgeGuests } from '../src/features/campaigns/respondents/purge-guests.ts'
import { extendLogs } from '../src/features/log/extend-logs.ts'
import { deleteBrand, removeFromBrand } from '../src/features/operator/delete-brand.ts'
import { newDevice, pollKeyOf } from './ballot-box.ts'
import { engines } from './engines.ts'
import { entriesIn, includes, leafHash, readCheckpoint, treeHead } from './log-reader.ts'
import { addVotes } from './many-votes.ts'
import { deletePoll, patchPoll } from './polls.ts'
import { refreshPopularity } from './popularity.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'
import { LAST_CHUNK, SlowReader } from './slow-reader.ts'

setDefaultTimeout(60_000)

interface LogData {
  readonly url: string
  readonly origin: string
  readonly publicKey: string
  readonly size: number
  readonly checkpoint: string
  readonly checkpointAt: string
  readonly startedAt: string
  readonly restarts: readonly { readonly origin: string; readonly size: number; readonly at: string }[]
}

interface ReceiptData {
  readonly nonce: string
  readonly commitment: string
  readonly index?: number | null
  readonly proof?: string[] | null
  readonly checkpoint?: string | null
}

const PERIOD = 10_000

describe.each([...engines])('%s: the log of a poll', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine, { jobs: 'by hand' })
  })
  // A test may take the clock past the life of a token.
  beforeEach(async () => {
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  async function work(): Promise<void> {
    // Totals of polls first, logs after them.
    for (let run = 0; run < 2; run++) {
      service.clock.advance(PERIOD)
      await service.runDue()
    }
  }

  async function cast(poll: PollData, votes: number): Promise<void> {
    const pollKey = await pollKeyOf(service, poll)
    const options = Array.from({ length: votes }, (_, i) => (i % 3 === 0 ? 'B' : 'A') as 'A' | 'B')
    await Promise.all(options.map((option) => service.service.ledger.cast({ pollKey, device: newDevice(), option })))
  }

  const logOf = async ({ slug }: PollData) => (await service.get<LogData>(`polls/${slug}/log`)).body.data
  const receiptOf = ({ slug }: PollData, device: string) =>
    service.get<ReceiptData>(`polls/${slug}/votes/me/receipt`, { device })
  const bytesAt = async (url: string) => {
    // The service is told of no address of its own.
    const reply = await fetch(url.replace(service.deps.config.publicUrl, service.service.url))
    return { status: reply.status, headers: reply.headers, bytes: Buffer.from(await reply.arrayBuffer()) }
  }

  test('begins empty with the poll, and each checkpoint extends the last', async () => {
    const poll = await service.createPoll(brand)
    await work()
    const empty = await logOf(poll)
    expect(empty.url).toBe(`${service.deps.config.publicUrl}/log/${poll.id}/${empty.url.slice(-6)}`)
    expect(readCheckpoint(empty.checkpoint, empty.publicKey)).toEqual({
      origin: empty.origin,
      size: 0,
      root: treeHead([]),
    })
    const device = randomUUID()
    await service.vote(poll.slug, 'B', device)
    const early = await receiptOf(poll, device)
    expect(early.body.data).toMatchObject({ index: null, proof: null, checkpoint: null })
    expect(early.headers.get('retry-after')).toBe('5')
    let entries: string[] = []
    for (const more of [0, 1, 6, 247, 1, 1, 400]) {
      await cast(poll, more)
      await work()
      const log = await logOf(poll)
      const checkpoint = readCheckpoint(log.checkpoint, log.publicKey)
      expect(log.publicKey).toBe(empty.publicKey)
      const bundle = JSON.parse((await bytesAt(`${log.url}/bundle`)).bytes.toString())
      expect(bundle.entries.slice(0, entries.length)).toEqual(entries)
      entries = bundle.entries
      expect({ size: checkpoint.size, root: checkpoint.root }).toEqual({
        size: entries.length,
        root: treeHead(entries.map(leafHash)),
      })
      const receipt = (await receiptOf(poll, device)).body.data
      expect(receipt.commitment).toBe(
        createHash('sha256').update(Buffer.from(receipt.nonce, 'base64url')).digest('base64url'),
      )
      expect(receipt).toMatchObject({ nonce: early.body.data.nonce, index: 0, checkpoint: log.checkpoint })
      const leaf = leafHash(`tossup-vote/1 B ${receipt.commitment}`)
      expect(includes(leaf, 0, checkpoint, receipt.proof ?? [])).toBe(true)
    }
    expect(entries).toHaveLength(657)
    const last = randomUUID()
    await service.vote(poll.slug, 'A', last)
    await work()
    const { index, proof, checkpoint, commitment } = (await receiptOf(poll, last)).body.data
    expect(index).toBe(657)
    const read = readCheckpoint(checkpoint ?? '', empty.publicKey)
    expect(includes(leafHash(`tossup-vote/1 A ${commitment}`), 657, read, proof ?? [])).toBe(true)
  })

  test('serves tiles of entries and hashes, whole and partial, and no others', async () => {
    const poll = await service.createPoll(brand)
    await cast(poll, 600)
    await work()
    const { url, size } = await logOf(poll)
    expect(size).toBe(600)
    const names = ['tile/entries/000', 'tile/entries/001', 'tile/entries/002.p/88']
    const entries: string[] = []
    for (const name of names) {
      const { status, headers, bytes } = await bytesAt(`${url}/${name}`)
      expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable'])
      entries.push(...entriesIn(bytes))
    }
    const leaves = entries.map(leafHash)
    expect((await bytesAt(`${url}/tile/0/001`)).bytes).toEqual(Buffer.concat(leaves.slice(256, 512)))
    expect((await bytesAt(`${url}/tile/0/002.p/7`)).bytes).toEqual(Buffer.concat(leaves.slice(512, 519)))
    expect((await bytesAt(`${url}/tile/1/000.p/2`)).bytes).toEqual(
      Buffer.concat([treeHead(leaves.slice(0, 256)), treeHead(leaves.slice(256, 512))]),
    )
    for (const name of [
      'tile/entries/002',
      'tile/entries/002.p/89',
      'tile/0/002.p/0',
      'tile/0/002.p/256',
      'tile/0/x000/001',
      'tile/0/1',
      'tile/1/000',
      'tile/1/000.p/3',
      'tile/2/000.p/1',
      'tile/7/000',
      'tile/-1/000',
      'tile/00/000',
      'tile/0/000.p',
      'tile/0/x001/000/000/000',
      'tile/0/x999/x999/x999/x999/x999/999',
      `tile/6/${'x999/'.repeat(2_000)}999.p/255`,
      'tile/entries/000/',
      'tile/entries/%30%30%30',
      'tile/entries/1e3',
      'checkpoint/',
    ])
      expect([name, (await bytesAt(`${url}/${name}`)).status]).toEqual([name, 404])
    expect((await bytesAt(`${url.slice(0, -6)}000000/checkpoint`)).status).toBe(404)
  })

  test('is hidden with the results: nothing public, and a receipt is nonce and commitment alone', async () => {
    const poll = await service.createPoll(brand, { resultsVisibility: 'after_close' })
    const device = randomUUID()
    await service.vote(poll.slug, 'A', device)
    await work()
    const path = `brands/me/polls/${poll.slug}/log`
    const own = (await service.get<LogData>(path, { token: brand.token })).body.data
    const publicUrl = `${service.deps.config.publicUrl}/log/${poll.id}/${own.origin.slice(-6)}`
    expect(own.url).toStartWith(`${publicUrl}.`)
    const hidden = await service.get(`polls/${poll.slug}/log`)
    const unknown = await service.get('polls/there-is-no-such-poll/log')
    const bare = ({ text, body }: typeof hidden) => text.replace(body.error.requestId, '')
    expect([hidden.status, bare(hidden)]).toEqual([404, bare(unknown)])
    for (const part of ['checkpoint', 'tile/0/000.p/1', 'tile/entries/000.p/1', 'bundle'])
      expect((await bytesAt(`${publicUrl}/${part}`)).status).toBe(404)
    const { headers, bytes } = await bytesAt(`${own.url}/tile/entries/000.p/1`)
    expect(headers.get('cache-control')).toBe('private, no-store')
    const { data } = (await receiptOf(poll, device)).body
    expect(Object.keys(data)).toEqual(['nonce', 'commitment'])
    expect(entriesIn(bytes)).toEqual([`tossup-vote/1 A ${data.commitment}`])
    const other = await service.createBrand()
    expect((await service.get(path, { token: other.token })).status).toBe(404)
    const forged = own.url.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
    expect((await bytesAt(`${forged}/checkpoint`)).status).toBe(404)
    await patchPoll(service, brand, poll.slug, { closesAt: new Date(service.clock.now() + 1_000).toISOString() })
    service.clock.advance(2_000)
    expect((await bytesAt(`${publicUrl}/checkpoint`)).status).toBe(200)
    service.clock.advance(2 * 86_400_000)
    expect((await bytesAt(`${own.url}/checkpoint`)).status).toBe(404)
  })

  test('ends with its poll, and nothing of it stays', async () => {
    const poll = await service.createPoll(brand)
    await cast(poll, 300)
    await work()
    const { url } = await logOf(poll)
    const pollKey = await pollKeyOf(service, poll)
    const device = randomUUID()
    await service.vote(poll.slug, 'A', device)
    await deletePoll(service, brand, poll.slug)
    for (const part of ['checkpoint', 'tile/entries/000', 'tile/1/000.p/1', 'bundle'])
      expect([part, (await bytesAt(`${url}/${part}`)).status]).toEqual([part, 404])
    expect((await receiptOf(poll, device)).status).toBe(404)
    // Neither the job nor a receipt begins it again.
    await work()
    await expectNothingOf(pollKey)
  })

  test('a download of it that a deletion overtakes breaks off, and is no document', async () => {
    const poll = await service.createPoll(brand)
    await addVotes(service, poll, { from: 0, to: 150_000 })
    while (await extendLogs(service.deps));
    const { url } = await logOf(poll)
    const reader = new SlowReader(`${url.replace(service.deps.config.publicUrl, service.service.url)}/bundle`, {})
    expect(await reader.status()).toBe(200)
    await reader.upTo(1_000)
    await deletePoll(service, brand, poll.slug)
    reader.read()
    const text = await reader.ended
    // Neither the last bytes of the document nor the end of its transfer.
    expect([text.includes(']}'), text.endsWith(LAST_CHUNK)]).toEqual([false, false])
    expect(service.logLines).toEqual([])
  })

  async function expectNothingOf(pollKey: number): Promise<void> {
    for (const table of ['poll_logs', 'poll_log_keys'] as const) {
      const rows = await service.db.selectFrom(table).select('poll_key').where('poll_key', '=', pollKey).execute()
      expect([table, rows]).toEqual([table, []])
    }
    const logs = service.db.selectFrom('poll_logs').select('key')
    const orphans = service.db.selectFrom('poll_log_tiles').select('level').where('log_key', 'not in', logs)
    expect(await orphans.execute()).toEqual([])
  }

  test('ends with its brand', async () => {
    const gone = await service.createBrand()
    const poll = await service.createPoll(gone)
    await cast(poll, 300)
    await work()
    const { url } = await logOf(poll)
    await transaction(service.deps.engine, (tx) => deleteBrand(service.deps, tx, gone.brandKey))
    expect((await bytesAt(`${url}/checkpoint`)).status).toBe(404)
    expect((await service.get(`polls/${poll.slug}/log`)).status).toBe(404)
    const pollKey = await pollKeyOf(service, poll)
    while (await removeFromBrand(service.deps, gone.brandKey));
    await work()
    await expectNothingOf(pollKey)
  })

  test('keeps its entries when voters are forgotten and purged, and opens to the public when its poll is archived', async () => {
    const poll = await service.createPoll(brand, { resultsVisibility: 'after_close' })
    const device = randomUUID()
    await service.vote(poll.slug, 'B', device)
    await cast(poll, 300)
    await work()
    const own = async () =>
      (await service.get<LogData>(`brands/me/polls/${poll.slug}/log`, { token: brand.token })).body.data
    const before = await own()
    const { nonce, commitment } = (await receiptOf(poll, device)).body.data
    expect((await service.request('DELETE', 'guests/me', { device })).status).toBe(204)
    await purgeGuests(service.deps.engine, service.clock.now() + 1)
    await work()
    expect((await own()).checkpoint).toBe(before.checkpoint)
    await patchPoll(service, brand, poll.slug, { archived: true })
    const log = await logOf(poll)
    expect([log.size, log.checkpoint, log.restarts]).toEqual([301, before.checkpoint, []])
    const entries = JSON.parse((await bytesAt(`${log.url}/bundle`)).bytes.toString()).entries
    const checkpoint = readCheckpoint(log.checkpoint, log.publicKey)
    expect(treeHead(entries.map(leafHash))).toEqual(checkpoint.root)
    const receipt = (await receiptOf(poll, device)).body.data
    expect(receipt).toMatchObject({ nonce, commitment, index: 0 })
    expect(includes(leafHash(`tossup-vote/1 B ${commitment}`), 0, checkpoint, receipt.proof ?? [])).toBe(true)
  })

  // The last test: it leaves a log with a wrong state.
  test('is stored over the state that was read alone', async () => {
    const poll = await service.createPoll(brand)
    await cast(poll, 3)
    await work()
    await cast(poll, 2)
    await refreshPopularity(service)
    // After the lease of the server that made the last checkpoint.
    service.clock.advance(10_000)
    let isOvertaken = false
    const own = await pollKeyOf(service, poll)
    const overtaken: typeof service.deps.engine = {
      ...service.deps.engine,
      async tryLock(tx, name) {
        isOvertaken = true
        await tx.updateTable('poll_logs').set({ size: 4 }).where('poll_key', '=', own).execute()
        return service.deps.engine.tryLock(tx, name)
      },
    }
    await extendLogs({ ...service.deps, engine: overtaken }, () => Number.POSITIVE_INFINITY)
    const logs = service.db.selectFrom('poll_logs').select('size').where('poll_key', '=', own)
    expect([isOvertaken, await logs.execute()]).toEqual([true, [{ size: 4 }]])
  })
})
