import { expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { generate, parse } from 'css-tree'
import { compactCss } from '../../../../../embed/src/theme/compact-css.ts'
import { elementStylesheet } from '../../../../../embed/src/theme/stylesheet.ts'
import { buildElementScripts, buildSolver } from './browser-script.ts'

const MOST_BYTES = 12 * 1024
const MOST_OF_A_PART = 4 * 1024

test('the script of the embeds stays small', async () => {
  const { build, embed, lists, after, dress } = await buildElementScripts()
  const packed = (script: string) => gzipSync(script, { level: 9 }).byteLength
  process.stdout.write(`embed.js: ${packed(embed)} bytes packed, ${embed.length} unpacked\n`)
  process.stdout.write(
    `its parts: lists ${packed(lists)}, after ${packed(after)}, dress ${packed(dress)} bytes packed\n`,
  )
  expect(packed(embed)).toBeLessThanOrEqual(MOST_BYTES)
  expect(packed(lists)).toBeLessThanOrEqual(MOST_OF_A_PART)
  expect(packed(after)).toBeLessThanOrEqual(MOST_OF_A_PART)
  expect(packed(dress)).toBeLessThanOrEqual(MOST_OF_A_PART)
  for (const script of [embed, lists, after, dress]) {
    expect(script).not.toMatch(/\beval\(|new Function|document\.write|\.cookie|@build@/)
  }
  for (const script of [embed, lists]) expect(script).toContain(build)
})

test('a part holds no second copy of what the page has once', async () => {
  const { embed, lists } = await buildElementScripts()
  for (const once of ['tossup.votes', 'tossup.device', 'tossup.voted', '/api/rest/v1']) {
    expect(embed).toContain(once)
    expect(lists).not.toContain(once)
  }
})

test('the script that solves challenges is loaded apart, and small', async () => {
  const solver = await buildSolver()
  const bytes = gzipSync(solver, { level: 9 }).byteLength
  process.stdout.write(`solve.js: ${bytes} bytes packed\n`)
  expect(bytes).toBeLessThanOrEqual(2 * 1024)
  expect((await buildElementScripts()).embed).not.toContain('cbrt')
})

test('a minified stylesheet has the same rules', () => {
  const compact = compactCss(elementStylesheet)
  const normal = (css: string) => generate(parse(css, { parseCustomProperty: true }))
  expect(normal(compact)).toBe(normal(elementStylesheet))
  expect(compact.length).toBeLessThan(0.8 * elementStylesheet.length)
})
