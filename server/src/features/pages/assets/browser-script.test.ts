import { expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { generate, parse } from 'css-tree'
import { compactCss } from '../../../../../embed/src/theme/compact-css.ts'
import { elementStylesheet } from '../../../../../embed/src/theme/stylesheet.ts'
import { buildCheck, buildElementScripts, buildSolver, buildStage } from './browser-script.ts'

const MOST_BYTES = 12 * 1024
const MOST_OF_A_PART = 4 * 1024

test('the script of the embeds stays small', async () => {
  const { build, embed, ...parts } = await buildElementScripts()
  const packed = (script: string) => gzipSync(script, { level: 9 }).byteLength
  process.stdout.write(`embed.js: ${packed(embed)} bytes packed, ${embed.length} unpacked\n`)
  const sizes = Object.entries(parts).map(([name, part]) => `${name} ${packed(part)}`)
  process.stdout.write(`its parts: ${sizes.join(', ')} bytes packed\n`)
  expect(packed(embed)).toBeLessThanOrEqual(MOST_BYTES)
  expect(sizes).toHaveLength(9)
  for (const part of Object.values(parts)) expect(packed(part)).toBeLessThanOrEqual(MOST_OF_A_PART)
  for (const script of [embed, ...Object.values(parts)]) {
    expect(script).not.toMatch(/\beval\(|new Function|document\.write|\.cookie|@build@/)
  }
  for (const script of [embed, parts.campaign]) expect(script).toContain(build)
})

test('a part holds no second copy of what the page has once', async () => {
  const { embed, campaign, brand, later } = await buildElementScripts()
  for (const once of ['tossup.votes', 'tossup.device', 'tossup.voted', '/api/rest/v1']) {
    expect(embed).toContain(once)
    expect(campaign + brand + later).not.toContain(once)
  }
})

test('the script that solves challenges is loaded apart, and small', async () => {
  const solver = await buildSolver()
  const bytes = gzipSync(solver, { level: 9 }).byteLength
  process.stdout.write(`solve.js: ${bytes} bytes packed\n`)
  expect(bytes).toBeLessThanOrEqual(2 * 1024)
  expect((await buildElementScripts()).embed).not.toContain('cbrt')
})

test('the script of a stage is small', async () => {
  const bytes = gzipSync(await buildStage(), { level: 9 }).byteLength
  process.stdout.write(`stage.js: ${bytes} bytes packed\n`)
  expect(bytes).toBeLessThanOrEqual(MOST_OF_A_PART + 1024)
})

test('the script of the page that counts again is small', async () => {
  const bytes = gzipSync(await buildCheck(), { level: 9 }).byteLength
  process.stdout.write(`check.js: ${bytes} bytes packed\n`)
  expect(bytes).toBeLessThanOrEqual(2 * MOST_OF_A_PART + 1024)
})

test('a minified stylesheet has the same rules', () => {
  const compact = compactCss(elementStylesheet)
  const normal = (css: string) => generate(parse(css, { parseCustomProperty: true }))
  expect(normal(compact)).toBe(normal(elementStylesheet))
  expect(compact.length).toBeLessThan(0.8 * elementStylesheet.length)
})
