import type { Events } from './openapi.ts'

const TOLERANCE_SECONDS = 300

export type WebhookEventType = keyof Events

/**
 * The payload of a delivery; `type` decides the shape of `data`. The largest members of an event that would be too large are
 * left out and named in `data.omitted`.
 */
export type WebhookEvent = {
  [Type in WebhookEventType]: {
    readonly type: Type
    /** The time of the event. */
    readonly timestamp: string
    readonly data: Readonly<Events[Type]>
  }
}[WebhookEventType]

export interface Delivery {
  /** The raw body, byte for byte: parsing and serializing it again breaks the signature. */
  readonly body: string | Uint8Array
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  /** `whsec_…`; several during a rotation. */
  readonly secret: string | readonly string[]
  /** The tolerance for clocks and transit, in seconds. Default: 300. */
  readonly toleranceSeconds?: number
}

export type WebhookFault = 'HEADER_MISSING' | 'TIMESTAMP_INVALID' | 'TIMESTAMP_OUT_OF_TOLERANCE' | 'SIGNATURE_INVALID'

/** The reason why a delivery is not authentic. Answer 401. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
  readonly code: WebhookFault

  constructor(code: WebhookFault, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * Verifies the signature (Standard Webhooks 1.0) and time of a delivery and returns its event; else throws a
 * `WebhookError`. The same event may come twice: remember `id`, which is the header `webhook-id`.
 *
 * @example
 * const { id, event } = await verifyWebhook({ body: await request.text(), headers: request.headers, secret })
 * if (event.type === 'poll.voted') console.log(id, event.data.option)
 */
export async function verifyWebhook(delivery: Delivery): Promise<{ id: string; event: WebhookEvent }> {
  const { body, headers, secret, toleranceSeconds = TOLERANCE_SECONDS } = delivery
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const given = headerOf(headers, 'webhook-signature')
  checkTime(timestamp, toleranceSeconds)
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes)
  const secrets = typeof secret === 'string' ? [secret] : secret
  const signatures = given.split(' ').filter((signature) => signature.startsWith('v1,'))
  if (!(await isAnyRight({ secrets, signatures, signed }))) {
    throw new WebhookError('SIGNATURE_INVALID', 'No signature matches')
  }
  return { id, event: JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent }
}

function headerOf(headers: Delivery['headers'], name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : anyCase(headers, name)
  if (!value) throw new WebhookError('HEADER_MISSING', `The header ${name} is missing`)
  return value
}

function anyCase(headers: Readonly<Record<string, string | readonly string[] | undefined>>, name: string) {
  const value = Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1]
  return typeof value === 'string' ? value : value?.[0]
}

function checkTime(timestamp: string, toleranceSeconds: number): void {
  if (!/^\d{1,15}$/.test(timestamp))
    throw new WebhookError('TIMESTAMP_INVALID', 'webhook-timestamp must be seconds since 1970')
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > toleranceSeconds) {
    throw new WebhookError('TIMESTAMP_OUT_OF_TOLERANCE', 'The delivery is too old, or its timestamp is in the future')
  }
}

interface Check {
  readonly secrets: readonly string[]
  readonly signatures: readonly string[]
  readonly signed: Uint8Array<ArrayBuffer>
}

async function isAnyRight({ secrets, signatures, signed }: Check): Promise<boolean> {
  for (const secret of secrets) {
    const key = await keyOf(secret)
    for (const signature of signatures) {
      const bytes = decoded(signature.slice('v1,'.length))
      // Compares in constant time.
      if (bytes && (await crypto.subtle.verify('HMAC', key, bytes, signed))) return true
    }
  }
  return false
}

function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = decoded(secret.replace(/^whsec_/, ''))
  // A mistake of the caller, not of the sender.
  if (!bytes || bytes.length === 0) throw new TypeError('The secret of a webhook must be whsec_ followed by base64')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

/** Null for what is not base64. */
function decoded(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
  } catch {
    return null
  }
}

function joined(head: Uint8Array, rest: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(head.length + rest.length)
  whole.set(head)
  whole.set(rest, head.length)
  return whole
}
