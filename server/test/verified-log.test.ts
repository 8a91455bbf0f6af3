import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { entryOf, openCheckpoint, openLog, readBundle, verifyLog, verifyReceipt } from '../../sdk/src/verify/index.ts'
import { newDevice, pollKeyOf } from './ballot-box.ts'
import { readDocument } from './documents.ts'
import { engines } from './engines.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

setDefaultTimeout(120_000)

const VERIFIER = new URL('../../sdk/src/verify/index.ts', import.meta.url).pathname

describe.each([...engines])('%s: the log of the service, checked by the library', (engine) => {
  let service: TestService
  let brand: TestBrand
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tossup-log-'))
    service = await startTestService(engine, { jobs: 'by hand' })
    brand = await service.createBrand()
  })
  afterAll(async () => {
    await service.stop()
    await rm(folder, { recursive: true })
  })

  async function logged(votes: number): Promise<PollData> {
    const poll = await service.createPoll(brand)
    await cast(poll, votes)
    return poll
  }

  async function cast(poll: PollData, votes: number): Promise<void> {
    const pollKey = await pollKeyOf(service, poll)
    const options = Array.from({ length: votes }, (_, i) => (i % 3 === 0 ? 'B' : 'A') as 'A' | 'B')
    await Promise.all(options.map((option) => service.service.ledger.cast({ pollKey, device: newDevice(), option })))
    for (let run = 0; run < 2; run++) {
      service.clock.advance(10_000)
      await service.runDue()
    }
  }

  const opened = ({ slug }: PollData) => openLog(service.service.url, slug, { patienceMs: 0 })
  const codes = async (poll: PollData, seen: Parameters<typeof verifyLog>[1] = {}) =>
    (await verifyLog(await opened(poll), seen)).faults.map(({ code }) => code)

  test('holds by its address and as a bundle, while it grows, for those who saw it before', async () => {
    const poll = await logged(300)
    const first = await opened(poll)
    const verdict = await verifyLog(first)
    expect(verdict).toMatchObject({ isSound: true, count: { optionA: 200, optionB: 100 } })
    const bundle = await (await fetch(`${first.address}/bundle`)).text()
    expect(await verifyLog(readBundle(bundle))).toMatchObject({ isSound: true, count: verdict.count })
    const seen = [await openCheckpoint(first.checkpoint, first.publicKey)]
    await cast(poll, 260)
    expect(await verifyLog(await opened(poll), { seen })).toMatchObject({ isSound: true, checkpoint: { size: 560 } })
  })

  test('has the vote of a receipt, and proves it', async () => {
    const poll = await logged(260)
    const device = crypto.randomUUID()
    await service.vote(poll.slug, 'B', device)
    await cast(poll, 3)
    const { body } = await service.get<Parameters<typeof verifyReceipt>[0]>(`polls/${poll.slug}/votes/me/receipt`, {
      device,
    })
    const source = await opened(poll)
    expect((await verifyReceipt(body.data, 'B', source.publicKey))?.size).toBe(264)
    expect(await verifyLog(source, { ownEntry: entryOf('B', body.data.nonce) })).toMatchObject({
      isSound: true,
      ownIndex: 260,
    })
  })

  test('is checked by the lines of check-a-count.md', async () => {
    const poll = await logged(5)
    const device = crypto.randomUUID()
    await service.vote(poll.slug, 'A', device)
    await cast(poll, 1)
    const { body } = await service.get<{ nonce: string }>(`polls/${poll.slug}/votes/me/receipt`, { device })
    const [, block = ''] = /```ts\n([^`]+)```/.exec(readDocument('docs/guides/check-a-count.md')) ?? []
    const lines = block
      .replace('@tossup/sdk/verify', VERIFIER)
      .replace('https://polls.example.com', service.service.url)
      .replace('tea-or-coffee', poll.slug)
    const nonce = `const nonce = '${body.data.nonce}'\n`
    const program = join(folder, `${engine}.ts`)
    await writeFile(program, `${nonce}${lines}export { count, faults, isSound, ownIndex }\n`)
    const { isSound, faults, ownIndex } = await import(program)
    expect({ isSound, faults, ownIndex }).toEqual({ isSound: true, faults: [], ownIndex: 5 })
  })

  test('does not hold once a stored vote was altered', async () => {
    const poll = await logged(300)
    const pollKey = await pollKeyOf(service, poll)
    const { db } = service
    await db
      .updateTable('votes')
      .set({ option: 'B' })
      .where('poll_key', '=', pollKey)
      .where('position', '=', 2)
      .execute()
    expect(await codes(poll)).toEqual(['ENTRY_ALTERED'])
  })
})
