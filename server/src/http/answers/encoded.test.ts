import { describe, expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { type Coding, PackedText } from './content-coding.ts'
import { encoded } from './encoded.ts'
import { type Reply, toResponse } from './reply.ts'

const plain: Record<Coding, (bytes: Uint8Array) => Buffer> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
}
const codings = Object.keys(plain) as Coding[]
const BODY = JSON.stringify({ data: 'Tea or coffee? ☕ '.repeat(100) })
const TAG = '"AbC"'

const request = (headers: Record<string, string> = {}, method = 'GET') =>
  new Request('http://tossup/', { method, headers })
const reply = (more: Partial<Reply> = {}): Reply => ({ status: 200, body: BODY, headers: { ETag: TAG }, ...more })

async function send(from: Reply, headers: Record<string, string> = {}, method = 'GET') {
  const sent = await encoded(from, request(headers, method))
  const response = toResponse(sent, { requestId: 'r', isSameOrigin: false })
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()), sent }
}

describe('an answer', () => {
  test.each(codings)('in %s has the same content, with an ETag of its own', async (coding) => {
    const { status, headers, bytes } = await send(reply(), { 'Accept-Encoding': coding })
    expect(status).toBe(200)
    expect(bytes.byteLength).toBeLessThan(BODY.length / 4)
    expect(plain[coding](bytes).toString()).toBe(BODY)
    expect(headers.get('content-encoding')).toBe(coding)
    expect(headers.get('etag')).toBe(`"AbC-${coding}"`)
    expect(headers.get('vary')).toBe('Accept-Encoding')
  })

  test('without Accept-Encoding is plain, with Vary: Accept-Encoding', async () => {
    const { headers, bytes } = await send(reply())
    expect(bytes.toString()).toBe(BODY)
    expect([headers.get('content-encoding'), headers.get('etag'), headers.get('vary')]).toEqual([
      null,
      TAG,
      'Accept-Encoding',
    ])
  })

  test('is compressed from 1,024 bytes on, and a shorter one only for a client that refuses it plain', async () => {
    const lengths = async (text: string, accepted: string) =>
      (await send(reply({ body: text }), { 'Accept-Encoding': accepted })).headers.get('content-encoding')
    expect(await lengths('x'.repeat(1023), 'gzip')).toBeNull()
    expect(await lengths('x'.repeat(1024), 'gzip')).toBe('gzip')
    expect(await lengths('é'.repeat(511), 'gzip')).toBeNull()
    expect(await lengths('é'.repeat(512), 'gzip')).toBe('gzip')
    expect(await lengths('x', 'gzip, identity;q=0')).toBe('gzip')
    expect(await lengths('x'.repeat(2000), 'identity;q=0')).toBeNull()
  })

  test.each(codings)("that the client has, in %s or plain, is 304 with the client's ETag", async (coding) => {
    const coded = `"AbC-${coding}"`
    for (const accepted of [coding, 'identity', 'br, zstd, gzip']) {
      for (const [given, tag] of [
        [coded, coded],
        [TAG, TAG],
        [`W/${coded}`, coded],
        [`"x" , ${coded}`, coded],
      ] as const) {
        const { status, headers, bytes } = await send(reply(), { 'Accept-Encoding': accepted, 'If-None-Match': given })
        expect([status, headers.get('etag'), bytes.byteLength]).toEqual([304, tag, 0])
        expect([headers.get('vary'), headers.get('content-encoding')]).toEqual(['Accept-Encoding', null])
      }
      const any = await send(reply(), { 'Accept-Encoding': coding, 'If-None-Match': '*' })
      expect([any.status, any.headers.get('etag')]).toEqual([304, coded])
    }
    // A client that has several codings is answered with the tag of the one that would be sent.
    const both = await send(reply(), { 'Accept-Encoding': coding, 'If-None-Match': `${TAG}, ${coded}` })
    expect(both.headers.get('etag')).toBe(coded)
    for (const given of ['"AbC-deflate"', '"AbC-"', '"AbC-br-br"', '"AbCbr"', 'AbC', '"AbD-gzip"', '']) {
      expect((await send(reply(), { 'Accept-Encoding': coding, 'If-None-Match': given })).status).toBe(200)
    }
  })

  test('to a write, and a refusal, are never 304', async () => {
    const known = { 'If-None-Match': '*', 'Accept-Encoding': 'br' }
    expect((await send(reply(), known, 'PATCH')).status).toBe(200)
    expect((await send(reply({ status: 404 }), known)).status).toBe(404)
  })

  test('adds to its own Vary', async () => {
    const { headers } = await send(reply({ headers: { Vary: 'Accept-Language' } }), { 'Accept-Encoding': 'br' })
    expect(headers.get('vary')).toBe('Accept-Encoding, Accept-Language')
  })

  test('with a secret, or that is no text, is never compressed', async () => {
    for (const body of [new Blob([BODY]), new Blob([BODY]).stream(), null]) {
      const { headers, bytes } = await send(reply({ body }), { 'Accept-Encoding': 'br, gzip' })
      expect(bytes.toString()).toBe(body === null ? '' : BODY)
      expect([headers.get('content-encoding'), headers.get('vary'), headers.get('etag')]).toEqual([null, null, TAG])
    }
    const { headers, bytes } = await send(reply({ isSecret: true }), { 'Accept-Encoding': 'br, identity;q=0' })
    expect([bytes.toString(), headers.get('content-encoding'), headers.get('vary')]).toEqual([BODY, null, null])
  })

  test.each(codings)('that is long is compressed in %s without blocking the event loop', async (coding) => {
    const body = JSON.stringify(Array.from({ length: 20_000 }, (_, i) => ({ i, half: i / 2 })))
    const sending = encoded(reply({ body }), request({ 'Accept-Encoding': coding }))
    expect(sending).toBeInstanceOf(Promise)
    const { body: bytes } = await sending
    if (!(bytes instanceof Uint8Array)) throw new Error('no bytes')
    expect(plain[coding](bytes).toString()).toBe(body)
    expect(encoded(reply(), request({ 'Accept-Encoding': coding }))).not.toBeInstanceOf(Promise)
  })
})

describe('a packed text', () => {
  test.each(codings)('is compressed once in %s, also for simultaneous requests', async (coding) => {
    const fast = new PackedText(BODY)
    expect(fast.find(coding)).toBe(fast.find(coding))
    const best = new PackedText(BODY, 'best')
    const [one, other] = await Promise.all([best.find(coding), best.find(coding)])
    expect(one).toBe(other)
    expect(best.find(coding)).toBe(one)
    expect(plain[coding](one).toString()).toBe(BODY)
  })

  test('is used for later answers', async () => {
    const packed = new PackedText(BODY)
    for (const coding of codings) {
      const { sent } = await send(reply({ packed }), { 'Accept-Encoding': coding })
      expect(sent.body).toBe(await packed.find(coding))
    }
  })
})
