import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

export interface StoredObject {
  readonly bytes: Uint8Array
  readonly headers: Record<string, string>
}

const ACCESS_KEY = 'STANDIN'
const SECRET = 'a/secret+with=odd characters'
const REGION = 'eu-test-1'
const BUCKET = 'pictures'

/**
 * The part of S3 that we use, implemented strictly: it recomputes every signature, in the header or in the query, and
 * answers 403 if any signed byte differs.
 */
export class S3StandIn {
  readonly objects: Map<string, StoredObject>
  readonly refusals: string[] = []
  readonly #uploads = new Map<string, Map<number, Uint8Array>>()
  /** Set by a test to answer every request with a fault. */
  fault: (() => Promise<Response> | Response) | null = null
  readonly #server: Bun.Server<undefined>

  constructor({ port = 0, objects = new Map<string, StoredObject>() } = {}) {
    this.objects = objects
    this.#server = Bun.serve({ hostname: '127.0.0.1', port, fetch: (request) => this.#answer(request) })
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.#server.port}`
  }

  get credentials() {
    return { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET, region: REGION, bucket: BUCKET }
  }

  /** The value of `S3_URL`; a folder in the bucket keeps tests apart. */
  url({ folder = '', secret = SECRET, key = ACCESS_KEY, bucket = BUCKET } = {}): string {
    const credentials = `${encodeURIComponent(key)}:${encodeURIComponent(secret)}`
    return `s3+http://${credentials}@127.0.0.1:${this.#server.port}/${bucket}${folder && `/${folder}`}?region=${REGION}`
  }

  stop = () => this.#server.stop(true)

  async #answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    const bytes = await request.bytes()
    if (this.fault) return this.fault()
    const problem = signatureProblem(request, bytes)
    if (problem) {
      this.refusals.push(problem)
      return failure(403, problem)
    }
    const { searchParams } = new URL(request.url)
    if (pathname.replace(/\/$/, '') === `/${BUCKET}` && searchParams.has('list-type')) return this.#list(searchParams)
    if (!pathname.startsWith(`/${BUCKET}/`)) return failure(404, 'NoSuchBucket')
    const part = this.#takePart(request, searchParams, bytes)
    if (part) return part
    return this.#carryOut(request, pathname.slice(BUCKET.length + 2), bytes)
  }

  #list(query: URLSearchParams): Response {
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(query.get('prefix') ?? '')).sort()
    const contents = keys.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('')
    return new Response(`<?xml version="1.0"?><ListBucketResult><Name>${BUCKET}</Name>${contents}</ListBucketResult>`)
  }

  /** An upload in parts: begun, sent part by part, and put together. */
  #takePart({ method, url }: Request, query: URLSearchParams, bytes: Uint8Array): Response | null {
    const key = new URL(url).pathname.slice(BUCKET.length + 2)
    const upload = query.get('uploadId')
    if (method === 'POST' && query.has('uploads')) {
      const id = String(this.#uploads.size + 1)
      this.#uploads.set(id, new Map())
      const body = `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`
      return new Response(`<?xml version="1.0"?>${body}`)
    }
    const parts = upload === null ? undefined : this.#uploads.get(upload)
    if (!parts) return upload === null ? null : failure(404, 'NoSuchUpload')
    if (method === 'PUT') {
      parts.set(Number(query.get('partNumber')), bytes)
      return new Response(null, { headers: { ETag: `"${query.get('partNumber')}"` } })
    }
    if (method === 'POST') {
      const ordered = [...parts].sort(([one], [other]) => one - other).map(([, part]) => part)
      this.objects.set(key, { bytes: Buffer.concat(ordered), headers: {} })
      return new Response('<?xml version="1.0"?><CompleteMultipartUploadResult></CompleteMultipartUploadResult>')
    }
    return new Response(null, { status: 204 })
  }

  #carryOut({ method, headers }: Request, key: string, bytes: Uint8Array): Response {
    const object = this.objects.get(key)
    if (method === 'PUT') {
      this.objects.set(key, { bytes, headers: Object.fromEntries(headers) })
      return new Response(null, { headers: { ETag: '"x"' } })
    }
    if (method === 'DELETE') {
      this.objects.delete(key)
      return new Response(null, { status: 204 })
    }
    if (!object) return failure(404, 'NoSuchKey')
    const size = { 'Content-Length': String(object.bytes.length) }
    return method === 'HEAD'
      ? new Response(null, { headers: size })
      : new Response(object.bytes as Uint8Array<ArrayBuffer>)
  }
}

const failure = (status: number, code: string): Response =>
  new Response(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>No.</Message></Error>`, { status })

const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex')
const hmac = (key: string | Uint8Array, text: string): Buffer => createHmac('sha256', key).update(text).digest()
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)

interface Claimed {
  readonly scope: string
  readonly time: string
  readonly signed: string[]
  readonly signature: string
  readonly payload: string
  readonly lifeSeconds: number
}

/** The error code that S3 would answer, or null if the signature is valid. */
function signatureProblem(request: Request, bytes: Uint8Array): string | null {
  const url = new URL(request.url)
  const claimed = url.searchParams.has('X-Amz-Signature') ? fromQuery(url.searchParams) : fromHeaders(request.headers)
  if (!claimed) return 'AccessDenied'
  const [accessKey, day = ''] = claimed.scope.split('/')
  if (accessKey !== ACCESS_KEY) return 'InvalidAccessKeyId'
  if (claimed.scope !== `${ACCESS_KEY}/${day}/${REGION}/s3/aws4_request` || !claimed.time.startsWith(day)) {
    return 'AuthorizationHeaderMalformed'
  }
  const age = (Date.now() - timeOf(claimed.time)) / 1_000
  if (age > claimed.lifeSeconds || age < -60) return 'RequestTimeTooSkewed'
  if (!claimed.signed.includes('host')) return 'SignatureDoesNotMatch'
  if (claimed.payload !== 'UNSIGNED-PAYLOAD' && claimed.payload !== sha256(bytes)) return 'XAmzContentSHA256Mismatch'
  const expected = Buffer.from(signatureOf(request, url, claimed))
  const given = Buffer.from(claimed.signature)
  return given.length === expected.length && timingSafeEqual(given, expected) ? null : 'SignatureDoesNotMatch'
}

function signatureOf(request: Request, url: URL, { scope, time, signed, payload }: Claimed): string {
  const query = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
  const headers = signed.map((name) => `${name}:${(request.headers.get(name) ?? '').trim().replace(/\s+/g, ' ')}\n`)
  const path = url.pathname.split('/').map((part) => encoded(decodeURIComponent(part)))
  const canonical = [request.method, path.join('/'), query.join('&'), headers.join(''), signed.join(';'), payload]
  const [, ...rest] = scope.split('/')
  const text = ['AWS4-HMAC-SHA256', time, rest.join('/'), sha256(canonical.join('\n'))].join('\n')
  const key = rest.reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${SECRET}`)
  return hmac(key, text).toString('hex')
}

function fromQuery(query: URLSearchParams): Claimed | null {
  if (query.get('X-Amz-Algorithm') !== 'AWS4-HMAC-SHA256') return null
  return {
    scope: query.get('X-Amz-Credential') ?? '',
    time: query.get('X-Amz-Date') ?? '',
    signed: (query.get('X-Amz-SignedHeaders') ?? '').split(';'),
    signature: query.get('X-Amz-Signature') ?? '',
    payload: 'UNSIGNED-PAYLOAD',
    lifeSeconds: Number(query.get('X-Amz-Expires')),
  }
}

const AUTHORIZATION = /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]+)$/

function fromHeaders(headers: Headers): Claimed | null {
  const [, scope = '', signed = '', signature = ''] = AUTHORIZATION.exec(headers.get('authorization') ?? '') ?? []
  if (scope === '') return null
  const time = headers.get('x-amz-date') ?? ''
  const payload = headers.get('x-amz-content-sha256') ?? ''
  return { scope, time, signed: signed.split(';'), signature, payload, lifeSeconds: 900 }
}

const timeOf = (text: string): number =>
  Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
