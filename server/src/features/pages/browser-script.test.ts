import { expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { generate, parse } from 'css-tree'
import { compactCss } from '../../../../embed/src/compact-css.ts'
import { elementStylesheet } from '../../../../embed/src/stylesheet.ts'
import { buildBrowserScript } from './browser-script.ts'

const MOST_BYTES = 12 * 1024

test('the script of the embeds stays small', async () => {
  const script = await buildBrowserScript()
  const bytes = gzipSync(script, { level: 9 }).byteLength
  process.stdout.write(`embed.js: ${bytes} bytes packed, ${script.length} unpacked\n`)
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES)
  expect(script).not.toMatch(/\beval\(|new Function|document\.write|\.cookie/)
})

test('a compact stylesheet says the same', () => {
  const compact = compactCss(elementStylesheet)
  const normal = (css: string) => generate(parse(css, { parseCustomProperty: true }))
  expect(normal(compact)).toBe(normal(elementStylesheet))
  expect(compact.length).toBeLessThan(0.8 * elementStylesheet.length)
})
