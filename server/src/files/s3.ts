import { randomUUID } from 'node:crypto'
import { boundedFetch } from '../base/bounded-fetch.ts'
import { PlainFailure, reasonOf } from '../base/errors.ts'
import { Semaphore } from '../base/work/semaphore.ts'
import type { S3Place } from '../config/setting-kinds.ts'
import { contentTypeOf, MOST_STORED_BYTES } from './file-keys.ts'
import { type FileStore, StoreAway, storeBytes, throwStoreAway, type Unfinished } from './file-store.ts'

/** How long S3 may be silent: before the head of an answer, and between two pieces of its body. */
const SILENCE_MS = 5_000
/** The longest that a client may take to read a picture from S3. */
const LONGEST_READ_MS = 300_000
/** `fetch` does not say how much of a body it has sent, so a larger file gets more time. */
const LEAST_SENT_PER_MS = 1_000
/** Clients that read pictures slowly leave room for uploads. */
const [READS_AT_ONCE, WRITES_AT_ONCE] = [96, 64]
/** Said in an answer without a file. */
const MOST_SAID_BYTES = 1_024 * 1_024
/** A file up to this size is known to be whole before its answer begins. A larger one that breaks off breaks the connection. */
const MOST_READ_AHEAD_BYTES = 512 * 1_024
const SIGNED_SECONDS = 300
const FOR_EVER = 'public, max-age=31536000, immutable'

type Method = 'GET' | 'HEAD' | 'PUT' | 'DELETE'

export const s3Client = ({ isVirtualHosted, folder, ...place }: S3Place): Bun.S3Client =>
  new Bun.S3Client({ ...place, virtualHostedStyle: isVirtualHosted })

/** An S3-compatible bucket. Bun only signs; requests use `fetch`, which has timeouts and gives access to all headers. */
export function createS3Store(place: S3Place, workspace: Unfinished): FileStore {
  const client = s3Client(place)
  const reads = new Semaphore(READS_AT_ONCE)
  const writes = new Semaphore(WRITES_AT_ONCE)

  /** Null if there is no such object. Only the body of a file is left to read. */
  async function ask(
    method: Method,
    key: string,
    { headers = {}, body, extraMs = 0 }: { headers?: Record<string, string>; body?: Blob; extraMs?: number } = {},
  ): Promise<Response | null> {
    const url = client.presign(place.folder + key, { method, expiresIn: SIGNED_SECONDS })
    const init: RequestInit = { method, headers, redirect: 'manual', ...(body ? { body } : {}) }
    const silenceMs = SILENCE_MS + extraMs
    const bounds =
      method === 'GET'
        ? { share: reads, totalMs: LONGEST_READ_MS, mostBytes: MOST_STORED_BYTES }
        : { share: writes, totalMs: 2 * silenceMs, mostBytes: MOST_SAID_BYTES }
    const response = await boundedFetch(url, init, { name: 'S3', silenceMs, ...bounds }).catch(throwStoreAway)
    if (response.ok && method === 'GET') return ofKnownSize(response)
    const said = await response.text().catch(throwStoreAway)
    if (response.ok) return response
    if (response.status === 404 && !said.includes('NoSuchBucket')) return null
    throw new StoreAway(
      new Error(`S3 answered ${response.status} ${/<Code>(\w+)<\/Code>/.exec(said)?.[1] ?? ''}`.trim()),
    )
  }

  async function sizeOf(key: string): Promise<number | null> {
    const response = await ask('HEAD', key)
    if (!response) return null
    return sizeIn(response) ?? throwStoreAway(SIZE_UNKNOWN)
  }

  return {
    workspace,
    async put(key, path) {
      const headers = { 'Content-Type': contentTypeOf(key), 'Cache-Control': FOR_EVER, ...contentDisposition(key) }
      const body = Bun.file(path)
      const response = await ask('PUT', key, { headers, body, extraMs: body.size / LEAST_SENT_PER_MS })
      if (!response) throw new StoreAway(new Error('S3 answered 404'))
      if ((await sizeOf(key)) !== body.size) throw new StoreAway(new Error('S3 has not stored the whole file'))
      await workspace.discard(path)
    },
    sizeOf,
    async read(key) {
      const response = await ask('GET', key)
      if (!response) return null
      const size = sizeIn(response) ?? 0
      const whole = size <= MOST_READ_AHEAD_BYTES ? await response.blob().catch(throwStoreAway) : null
      return { size, body: () => whole?.stream() ?? response.body ?? new Blob([]) }
    },
    async borrow(key) {
      const response = await ask('GET', key)
      if (!response) return null
      const path = workspace.newPath()
      await Bun.write(path, response).catch(async (error) => {
        await workspace.discard(path)
        throwStoreAway(error)
      })
      return { path, giveBack: () => workspace.discard(path) }
    },
    async remove(key) {
      await ask('DELETE', key)
    },
  }
}

/** S3 serves the object, without our Content-Security-Policy, so an SVG is downloaded instead of opened in a tab. */
const contentDisposition = (key: string): Record<string, string> =>
  contentTypeOf(key) === 'image/svg+xml' ? { 'Content-Disposition': 'attachment' } : {}

const SIZE_UNKNOWN = new Error('S3 does not say how large a file is')

/** No file is empty, and without its size nobody could tell whether it is whole. */
const sizeIn = ({ headers }: Response): number | null => Number(headers.get('content-length') ?? 0) || null

async function ofKnownSize(response: Response): Promise<Response> {
  if (sizeIn(response) !== null) return response
  await response.body?.cancel()
  throw new StoreAway(SIZE_UNKNOWN)
}

/** Tests the bucket at the start, so that a wrong secret or a missing permission shows now, not at the first upload. */
export async function openS3(place: S3Place, workspace: Unfinished): Promise<FileStore> {
  const store = createS3Store(place, workspace)
  const key = `start-${randomUUID()}.png`
  const bytes = new TextEncoder().encode('a server that starts tries whether it may write, read and remove')
  try {
    await storeBytes(store, key, bytes)
    const written = await new Response((await store.read(key))?.body()).bytes()
    await store.remove(key)
    if (Buffer.compare(written, bytes) !== 0) throw new Error('what was written is not what is read')
    // Without permission to list, S3 answers 403 instead of 404 for a missing object.
    if ((await store.sizeOf(key)) !== null) throw new Error('what was removed is still there')
    return store
  } catch (error) {
    throw new PlainFailure(`Cannot use S3_URL: ${reasonOfS3(error)}.`, { cause: error })
  }
}

/** Names the way to a server without TLS, where the connection fails for it. */
export function reasonOfS3(error: unknown): string {
  const { code = '' } = (error instanceof StoreAway ? (error.cause ?? error) : error) as { code?: unknown }
  const reason = reasonOf(error)
  return /TLS/.test(`${code} ${reason}`)
    ? `${reason.replace(/[.?]$/, '')}. If the server speaks plain HTTP, write s3+http:// in place of s3://`
    : reason
}
