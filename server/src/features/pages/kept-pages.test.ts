import { describe, expect, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
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
  test('are whole gzip files, whatever of them is packed anew', async () => {
    const pages = new KeptPages()
    const start = `<style>${'.title { color: teal } '.repeat(500)}</style>é`
    for (const [i, rest] of ['', '1 vote', `ünlimited ${'votes '.repeat(50_000)}`, '2 votes'].entries()) {
      const { asset } = pages.find('p', `source ${i}`, page(start, rest))
      expect(gunzipSync(await asset.packed.bytes()).toString()).toBe(start + rest)
      expect(asset.text).toBe(start + rest)
    }
    const other = pages.find('p', 'source 9', page('<p>', 'short'))
    expect(gunzipSync(await other.asset.packed.bytes()).toString()).toBe('<p>short')
  })

  test('are made once for as long as their source is the same, and have a tag of their own', () => {
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

  test('take no more bytes than they may, and keep the page that is asked for most', () => {
    const pages = new KeptPages(100_000)
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
