import { afterEach, describe, expect, setSystemTime, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import { type Delivery, verifyWebhook, WebhookError } from '../src/webhooks.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const OTHER = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
const BODY = JSON.stringify({ type: 'webhook.test', timestamp: '2026-01-31T12:00:00.000Z', data: { webhookId: 'ä ✓' } })

/** Signed with another implementation. */
function signed({ body = BODY, secret = SECRET, at = new Date() } = {}): Delivery {
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', at, body),
  }
  return { body, headers, secret }
}

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000)

async function fault(delivery: Delivery): Promise<string> {
  const error = await verifyWebhook(delivery).then(
    () => null,
    (thrown: unknown) => thrown,
  )
  return error instanceof WebhookError ? error.code : String(error)
}

describe('a delivery', () => {
  test('signed by the standardwebhooks library is accepted, with headers and body in every form', async () => {
    const { headers, ...rest } = signed()
    const event = JSON.parse(BODY)
    const capitals = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [String(value)]])
    for (const given of [headers, new Headers(headers as Record<string, string>), Object.fromEntries(capitals)]) {
      expect(await verifyWebhook({ ...rest, headers: given })).toEqual({ id: 'msg_1', event })
    }
    expect(await verifyWebhook({ ...rest, headers, body: new TextEncoder().encode(BODY) })).toEqual({
      id: 'msg_1',
      event,
    })
  })

  test('has data by its event type', async () => {
    const body = JSON.stringify({ type: 'poll.voted', timestamp: '', data: { option: 'A', tallies: { total: 1 } } })
    const { event } = await verifyWebhook(signed({ body }))
    expect(event.type === 'poll.voted' && [event.data.option, event.data.tallies.total]).toEqual(['A', 1])
  })

  test('with several signatures needs one that matches any of the given secrets', async () => {
    const { headers, ...rest } = signed()
    const other = (signed({ secret: OTHER }).headers as Record<string, string>)['webhook-signature']
    const own = (headers as Record<string, string>)['webhook-signature']
    const both = { ...headers, 'webhook-signature': `v2,x ${other} v1,%%% ${own}` }
    expect((await verifyWebhook({ ...rest, headers: both })).id).toBe('msg_1')
    expect((await verifyWebhook({ ...rest, headers, secret: [OTHER, SECRET] })).id).toBe('msg_1')
    expect(await fault({ ...rest, headers, secret: [OTHER] })).toBe('SIGNATURE_INVALID')
    expect(await fault({ ...rest, headers, secret: [] })).toBe('SIGNATURE_INVALID')
  })

  test('with a changed body, id, timestamp, signature or version is refused', async () => {
    const { headers, ...rest } = signed()
    const change = (changed: Record<string, string>) => fault({ ...rest, headers: { ...headers, ...changed } })
    expect(await fault({ ...rest, headers, body: `${BODY} ` })).toBe('SIGNATURE_INVALID')
    expect(await change({ 'webhook-id': 'msg_2' })).toBe('SIGNATURE_INVALID')
    const soon = String(Math.floor(Date.now() / 1000) + 1)
    const now = (headers as Record<string, string>)['webhook-timestamp']
    expect(await change({ 'webhook-timestamp': soon === now ? String(Number(now) + 1) : soon })).toBe(
      'SIGNATURE_INVALID',
    )
    expect(await change({ 'webhook-signature': 'v1,' })).toBe('SIGNATURE_INVALID')
    const own = (headers as Record<string, string>)['webhook-signature'] ?? ''
    expect(await change({ 'webhook-signature': own.replace('v1,', 'v1a,') })).toBe('SIGNATURE_INVALID')
    expect(await change({ 'webhook-signature': own.slice(0, -6) })).toBe('SIGNATURE_INVALID')
  })

  afterEach(() => setSystemTime())

  test('that is too old or from the future is refused, by the given tolerance', async () => {
    setSystemTime(new Date('2026-01-31T12:00:00.500Z'))
    expect(await fault(signed({ at: ago(301) }))).toBe('TIMESTAMP_OUT_OF_TOLERANCE')
    expect(await fault(signed({ at: ago(-302) }))).toBe('TIMESTAMP_OUT_OF_TOLERANCE')
    expect((await verifyWebhook(signed({ at: ago(290) }))).id).toBe('msg_1')
    expect((await verifyWebhook({ ...signed({ at: ago(900) }), toleranceSeconds: 1000 })).id).toBe('msg_1')
    expect(await fault({ ...signed({ at: ago(5) }), toleranceSeconds: 1 })).toBe('TIMESTAMP_OUT_OF_TOLERANCE')
  })

  test('without one of its headers, or with a malformed timestamp, is refused', async () => {
    const { headers, ...rest } = signed()
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      const { [name]: _, ...others } = headers as Record<string, string>
      expect(await fault({ ...rest, headers: others })).toBe('HEADER_MISSING')
    }
    for (const time of ['soon', '1e9', '-1', ' 5', 'NaN']) {
      expect(await fault({ ...rest, headers: { ...headers, 'webhook-timestamp': time } })).toBe('TIMESTAMP_INVALID')
    }
  })

  test('throws another error for a malformed secret, which is no answer to the sender', async () => {
    expect(await fault({ ...signed(), secret: 'whsec_%' })).toStartWith('TypeError')
    expect(await fault({ ...signed(), secret: '' })).toStartWith('TypeError')
  })
})
