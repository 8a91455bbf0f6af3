import { expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { KeptPages } from './kept-pages.ts'

const page = (text: string) => () => ({ text, styleHashes: [], scriptHashes: [], policy: `policy of ${text}` })
const never = () => {
  throw new Error('made again')
}

test('a kept page is made once while its source is the same, and has an ETag of its own', () => {
  const pages = new KeptPages()
  const first = pages.find('p', 'a', page('one'))
  expect(pages.find('p', 'a', never)).toMatchObject({ asset: first.asset, policy: 'policy of one' })
  expect(pages.peek('p', 'a')?.asset).toBe(first.asset)
  expect([pages.peek('p', 'b'), pages.peek('q', 'a')]).toEqual([null, null])
  const tags = [first, pages.find('p', 'b', page('two')), pages.find('q', 'a', page('three'))]
  expect(new Set(tags.map(({ asset }) => asset.etag)).size).toBe(3)
  expect(pages.peek('p', 'a')).toBeNull()
})

test('kept pages are limited in bytes, and the most requested page stays', () => {
  const pages = new KeptPages(100_000)
  const text = 'x'.repeat(10_000)
  const names = ['b', 'c', 'd', 'e', 'f', 'g', 'h']
  pages.find('a', 's', page(text))
  for (const key of names) {
    pages.find(key, 's', page(text))
    expect(pages.peek('a', 's')).not.toBeNull()
  }
  const there = names.filter((key) => pages.peek(key, 's'))
  expect(there.length).toBeGreaterThan(0)
  expect(there.length).toBeLessThan(5)
  pages.find('too large', 's', page('x'.repeat(200_000)))
  expect(pages.peek('too large', 's')).toBeNull()
  expect(pages.peek('a', 's')).not.toBeNull()
})

test.each(['ünlimited votes', `<style>${'.title { color: teal } '.repeat(5_000)}</style>ünlimited`])(
  'a kept page is the same text in every coding',
  async (text) => {
    const { packed } = new KeptPages().find('p', 's', page(text)).asset
    expect(gunzipSync(await packed.find('gzip')).toString()).toBe(text)
    expect(brotliDecompressSync(await packed.find('br')).toString()).toBe(text)
    expect(zstdDecompressSync(await packed.find('zstd')).toString()).toBe(text)
  },
)
