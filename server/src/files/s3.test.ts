import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { S3StandIn } from '../../test/s3-stand-in.ts'
import { PlainFailure } from '../base/errors.ts'
import { s3Place } from '../config/setting-kinds.ts'
import { type FileStore, openUnfinished, StoreAway, storeBytes } from './file-store.ts'
import { createS3Store, openS3 } from './s3.ts'

const folder = await mkdtemp(join(tmpdir(), 'tossup-test-'))
const workspace = openUnfinished(folder, { isShared: false })
afterAll(() => rm(folder, { recursive: true }))

const KEY = `${'k'.repeat(32)}.png`

/** The promised 5 s, with a margin for a busy machine. */
const SOON_MS = 7_000

describe('files in S3', () => {
  let s3: S3StandIn
  let store: FileStore
  beforeAll(async () => {
    s3 = new S3StandIn()
    store = await openS3(s3Place.parse(s3.url({ folder: 'a/b' })), workspace)
  })
  afterEach(() => {
    s3.fault = null
  })
  afterAll(() => s3.stop())

  test('a stored file is read, streamed, measured and removed', async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(3_000_000))
    await storeBytes(store, KEY, bytes)
    expect([...s3.objects.keys()]).toEqual([`a/b/${KEY}`])
    expect(await store.sizeOf(KEY)).toBe(bytes.length)
    const file = await store.read(KEY)
    expect(file?.size).toBe(bytes.length)
    expect(await new Response(file?.body()).bytes()).toEqual(bytes)
    const borrowed = await store.borrow(KEY)
    expect(await Bun.file(borrowed?.path ?? '').bytes()).toEqual(bytes)
    await borrowed?.giveBack()
    expect(await readdir(folder)).toEqual([])
    for (let i = 0; i < 2; i++) await store.remove(KEY)
    expect(await store.read(KEY)).toBeNull()
    expect(await store.borrow(KEY)).toBeNull()
    expect(await store.sizeOf(KEY)).toBeNull()
    expect(s3.refusals).toEqual([])
  })

  test('any unexpected answer of S3 makes the store unavailable', async () => {
    const faults: (() => Response)[] = [
      () => new Response('<Error><Code>SlowDown</Code></Error>', { status: 503 }),
      () => new Response('<Error><Code>AccessDenied</Code></Error>', { status: 403 }),
      () => new Response('', { status: 500 }),
      () => Response.redirect('http://127.0.0.1:1/', 307),
      () => new Response('<Error><Code>NoSuchBucket</Code></Error>', { status: 404 }),
    ]
    for (const fault of faults) {
      s3.fault = fault
      await expect(storeBytes(store, KEY, new Uint8Array(9))).rejects.toThrow(StoreAway)
      await expect(store.read(KEY)).rejects.toThrow(StoreAway)
      await expect(store.remove(KEY)).rejects.toThrow(StoreAway)
    }
    s3.fault = faults[0] ?? null
    await expect(store.read(KEY)).rejects.toThrow('S3 answered 503 SlowDown')
    expect(s3.objects.size).toBe(0)
  })

  test('an S3 that is silent is unavailable within 5 s, also in the middle of a file', async () => {
    await storeBytes(store, KEY, new Uint8Array(9))
    const startedAt = performance.now()
    s3.fault = () => new Promise(() => undefined)
    const asked = [store.sizeOf(KEY), store.read(KEY), store.borrow(KEY), store.remove(KEY)]
    const stored = storeBytes(store, KEY, new Uint8Array(200_000))
    const outcomes = await Promise.allSettled<unknown>([...asked, stored])
    for (const outcome of outcomes) expect(outcome).toEqual({ status: 'rejected', reason: expect.any(StoreAway) })
    expect(performance.now() - startedAt).toBeLessThan(SOON_MS)
    s3.fault = () =>
      new Response(new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1_000)) }))
    const halfAt = performance.now()
    const half = await store.read(KEY)
    const halves = await Promise.allSettled<unknown>([store.borrow(KEY), new Response(half?.body()).bytes()])
    for (const { status } of halves) expect(status).toBe('rejected')
    expect(performance.now() - halfAt).toBeLessThan(SOON_MS)
    expect(await readdir(folder)).toEqual([])
  }, 30_000)

  test('an S3 that does not answer is unavailable, and no signed address is logged', async () => {
    const gone = createS3Store(s3Place.parse('s3+http://AK:hush@127.0.0.1:1/bucket'), workspace)
    const error = await gone.read(KEY).catch((caught) => caught)
    expect(error).toBeInstanceOf(StoreAway)
    expect(error.message).not.toMatch(/Signature|AK|hush/)
  })

  test.each([
    ['a wrong secret', () => s3.url({ secret: 'another' }), '403 SignatureDoesNotMatch'],
    ['an unknown key', () => s3.url({ key: 'SOMEBODY' }), '403 InvalidAccessKeyId'],
    ['a bucket that is not there', () => s3.url({ bucket: 'nowhere' }), '404'],
    [
      'plain HTTP',
      () => s3.url().replace('s3+http:', 's3:'),
      'If the server speaks plain HTTP, write s3+http:// in place of s3://.',
    ],
    ['nobody there', () => 's3+http://AK:hush@127.0.0.1:1/bucket', 'Unable to connect'],
  ])('%s is reported at the start in one line', async (_name, url, reason) => {
    const error = await openS3(s3Place.parse(url()), workspace).catch((caught) => caught)
    expect(error).toBeInstanceOf(PlainFailure)
    expect(error.message).toStartWith('Cannot use S3_URL: ')
    expect(error.message).toContain(reason)
    expect(error.message).not.toMatch(/hush|another|SOMEBODY|\n/)
  })
})
