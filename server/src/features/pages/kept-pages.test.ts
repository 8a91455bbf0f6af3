import { describe, expect, test } from 'bun:test'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { eventually } from '../../../test/eventually.ts'
import { KeptPages } from './kept-pages.ts'

const page = (start: string, rest: string) => () => ({
  start,
  rest,
  styleHashes: [],
  scriptHashes: [],
  policy: `policy of ${start}`,
})
const never = () => {
  throw new Error('made again')
}

describe('kept pages', () => {
  test('are complete gzip files if only one part is compressed again', async () => {
    const pages = new KeptPages()
    const start = `<style>${'.title { color: teal } '.repeat(500)}</style>é`
    for (const [i, rest] of ['', '1 vote', `ünlimited ${'votes '.repeat(50_000)}`, '2 votes'].entries()) {
      const { asset } = pages.find('p', `source ${i}`, page(start, rest))
      expect(gunzipSync(await asset.packed.find('gzip')).toString()).toBe(start + rest)
      expect(asset.text).toBe(start + rest)
    }
    const other = pages.find('p', 'source 9', page('<p>', 'short'))
    expect(gunzipSync(await other.asset.packed.find('gzip')).toString()).toBe('<p>short')
  })

  test('are made once while their source is the same, and have an ETag of their own', () => {
    const pages = new KeptPages()
    const first = pages.find('p', 'a', page('start', 'one'))
    expect(pages.find('p', 'a', never)).toMatchObject({ asset: first.asset, policy: 'policy of start' })
    expect(pages.peek('p', 'a')?.asset).toBe(first.asset)
    expect([pages.peek('p', 'b'), pages.peek('q', 'a')]).toEqual([null, null])
    const tags = [
      first,
      pages.find('p', 'b', page('start', 'two')),
      pages.find('p', 'c', page('other', 'two')),
      pages.find('p', 'd', page('starto', 'ne')),
    ].map(({ asset }) => asset.etag)
    expect(new Set(tags).size).toBe(4)
    expect(pages.peek('p', 'a')).toBeNull()
  })

  test('are limited in bytes, and the most requested page stays', () => {
    const pages = new KeptPages({ mostBytes: 100_000 })
    const start = 'x'.repeat(10_000)
    const names = ['b', 'c', 'd', 'e', 'f', 'g', 'h']
    pages.find('a', 's', page(start, ''))
    for (const key of names) {
      pages.find(key, 's', page(start, ''))
      expect(pages.peek('a', 's')).not.toBeNull()
    }
    const there = names.filter((key) => pages.peek(key, 's'))
    expect(there.length).toBeGreaterThan(0)
    expect(there.length).toBeLessThan(5)
    pages.find('too large', 's', page('x'.repeat(200_000), ''))
    expect(pages.peek('too large', 's')).toBeNull()
    expect(pages.peek('a', 's')).not.toBeNull()
  })
})

describe('a kept page', () => {
  const start = `<style>${'.title { color: teal } '.repeat(500)}</style>`

  function keep() {
    let now = 0
    const pages = new KeptPages({ now: () => now })
    const ask = (rest = '1 vote') => pages.find('p', rest, page(start, rest)).asset
    const wait = (ms: number) => {
      now += ms
    }
    return { ask, wait }
  }

  async function until(isSo: () => boolean): Promise<void> {
    await eventually(isSo)
  }

  test('is the same text in every coding', async () => {
    const { packed, text } = keep().ask('ünlimited votes')
    expect(gunzipSync(await packed.find('gzip')).toString()).toBe(text)
    expect(brotliDecompressSync(await packed.find('br')).toString()).toBe(text)
    expect(zstdDecompressSync(await packed.find('zstd')).toString()).toBe(text)
  })

  test('is sent as gzip while votes change it, and in brotli of the highest quality once they stop', async () => {
    const { ask, wait } = keep()
    for (let i = 0; i < 20; i++) expect(ask().packed.codings[0]).toBe('gzip')
    wait(9_999)
    expect(ask().packed.codings[0]).toBe('gzip')
    ask('2 votes')
    wait(10_000)
    for (let i = 0; i < 6; i++) expect(ask('2 votes').packed.codings[0]).toBe('gzip')
    const { packed, text } = ask('2 votes')
    await until(() => packed.codings[0] === 'br')
    const bytes = await packed.find('br')
    expect(brotliDecompressSync(bytes).toString()).toBe(text)
    expect(bytes.byteLength).toBe(brotliCompressSync(text).byteLength)
    expect(packed.find('br')).toBe(packed.find('br'))
    expect(ask('3 votes').packed.codings[0]).toBe('gzip')
  })

  test('keeps the bytes that belong to its ETag', async () => {
    const { ask, wait } = keep()
    const bytes = await ask().packed.find('br')
    wait(60_000)
    for (let i = 0; i < 20; i++) ask()
    expect(ask().packed.codings[0]).toBe('gzip')
    expect(await ask().packed.find('br')).toBe(bytes)
  })
})
