import { randomUUID } from 'node:crypto'
import { PlainFailure, reasonOf } from '../base/errors.ts'
import type { S3Place } from '../config/setting-kinds.ts'
import { contentTypeOf } from './file-keys.ts'
import { type FileStore, StoreAway, storeBytes, throwStoreAway, type Unfinished } from './file-store.ts'

/** How long S3 may be silent: before the head of an answer, and between two pieces of its body. */
const SILENCE_MS = 5_000
/** `fetch` does not say how much of a body it has sent, so a larger file gets more time. */
const LEAST_SENT_PER_MS = 1_000
const SIGNED_SECONDS = 300
const FOR_EVER = 'public, max-age=31536000, immutable'

type Method = 'GET' | 'HEAD' | 'PUT' | 'DELETE'

interface Sent {
  readonly headers?: Record<string, string>
  readonly body?: Blob
  readonly extraMs?: number
}

/** An S3-compatible bucket. Bun only signs; requests use `fetch`, which has timeouts and gives access to all headers. */
export function createS3Store(place: S3Place, workspace: Unfinished): FileStore {
  const client = new Bun.S3Client({
    accessKeyId: place.accessKeyId,
    secretAccessKey: place.secretAccessKey,
    region: place.region,
    endpoint: place.endpoint,
    bucket: place.bucket,
    virtualHostedStyle: place.isVirtualHosted,
  })

  /** Null if there is no such object. */
  async function ask(
    method: Method,
    key: string,
    { headers = {}, body, extraMs = 0 }: Sent = {},
  ): Promise<Response | null> {
    const url = client.presign(place.folder + key, { method, expiresIn: SIGNED_SECONDS })
    const init: RequestInit = { method, headers, redirect: 'manual', ...(body ? { body } : {}) }
    const response = await answerOf(url, init, SILENCE_MS + extraMs)
    if (response.ok) return response
    const said = await response.text()
    if (response.status === 404 && !said.includes('NoSuchBucket')) return null
    throw new StoreAway(
      new Error(`S3 answered ${response.status} ${/<Code>(\w+)<\/Code>/.exec(said)?.[1] ?? ''}`.trim()),
    )
  }

  return {
    workspace,
    async put(key, path) {
      const headers = { 'Content-Type': contentTypeOf(key), 'Cache-Control': FOR_EVER, ...contentDisposition(key) }
      const body = Bun.file(path)
      const response = await ask('PUT', key, { headers, body, extraMs: body.size / LEAST_SENT_PER_MS })
      if (!response) throw new StoreAway(new Error('S3 answered 404'))
      await response.text()
      await workspace.discard(path)
    },
    async sizeOf(key) {
      const response = await ask('HEAD', key)
      return response && sizeOf(response)
    },
    async read(key) {
      const response = await ask('GET', key)
      return response && { size: sizeOf(response), body: () => response.body ?? new Blob([]) }
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
      await (await ask('DELETE', key))?.text()
    },
  }
}

/** S3 serves the object, without our Content-Security-Policy, so an SVG is downloaded instead of opened in a tab. */
const contentDisposition = (key: string): Record<string, string> =>
  contentTypeOf(key) === 'image/svg+xml' ? { 'Content-Disposition': 'attachment' } : {}

const sizeOf = (response: Response): number => Number(response.headers.get('content-length') ?? 0)

async function answerOf(url: string, init: RequestInit, withinMs: number): Promise<Response> {
  const patience = new Patience()
  try {
    const response = await patience.within(withinMs, () => fetch(url, { ...init, signal: patience.signal }))
    const { body, status, headers } = response
    return body ? new Response(patientBody(body, patience), { status, headers }) : response
  } catch (error) {
    return throwStoreAway(error)
  }
}

/** The reader of a body may take as long as it needs: only S3 must not be silent. */
function patientBody(body: ReadableStream<Uint8Array>, patience: Patience): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value } = await patience.within(SILENCE_MS, () => reader.read()).catch(throwStoreAway)
        if (value) controller.enqueue(value)
        else controller.close()
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Reads nothing ahead of the reader.
    { highWaterMark: 0 },
  )
}

/** Aborts a request whose next step takes too long. */
class Patience {
  readonly #late = new AbortController()
  readonly signal = this.#late.signal

  async within<T>(milliseconds: number, step: () => Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.#late.abort(new Error('no answer in time')), milliseconds)
    try {
      return await step()
    } finally {
      clearTimeout(timer)
    }
  }
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
