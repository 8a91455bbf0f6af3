import type { S3Place } from '../base/s3-url.ts'
import { contentTypeOf } from './file-keys.ts'
import { type FileStore, StoreAway, throwStoreAway } from './file-store.ts'
import type { Unfinished } from './unfinished.ts'

const ANSWER_MS = 30_000
const SIGNED_SECONDS = 300
const FOR_EVER = 'public, max-age=31536000, immutable'

type Method = 'GET' | 'HEAD' | 'PUT' | 'DELETE'

interface Sent {
  readonly headers?: Record<string, string>
  readonly body?: Blob
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
  async function ask(method: Method, key: string, { headers = {}, body }: Sent = {}): Promise<Response | null> {
    const url = client.presign(place.folder + key, { method, expiresIn: SIGNED_SECONDS })
    const response = await answerOf(url, { method, headers, redirect: 'manual', ...(body ? { body } : {}) })
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
      const response = await ask('PUT', key, { headers, body: Bun.file(path) })
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
      await Bun.write(path, response).catch(throwStoreAway)
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

/** The timeout ends with the response headers: the body may take as long as its reader needs. */
async function answerOf(url: string, init: RequestInit): Promise<Response> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new Error('no answer in time')), ANSWER_MS)
  try {
    return await fetch(url, { ...init, signal: late.signal })
  } catch (error) {
    return throwStoreAway(error)
  } finally {
    clearTimeout(timer)
  }
}
