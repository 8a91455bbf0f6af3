import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const ROOT = join(import.meta.dir, '../..')
const TEST_CODE = /\.(test|proof)\.tsx?$|^(server|sdk|embed)\/test\/.*\.ts$/

const PAUSE = /\bBun\.sleep\(|\bsetTimeout\(|\bpause\(\d/
/** A constant whose name and comment explain the wait. */
const NAMED = /\bBun\.sleep\([A-Z][A-Z_]+_MS\b|\b\d+ \* [A-Z_]+_MS\b/
const REASON = /^\s*\/\/ Real time: \S/

/** Lines that wait for real time without a reason in the line above. */
function unexplainedPauses(text: string): number[] {
  const lines = text.split('\n')
  return lines.flatMap((line, at) => {
    if (!PAUSE.test(line) || NAMED.test(line) || /^\s*(\/\/|\*)/.test(line)) return []
    let above = at - 1
    while (PAUSE.test(lines[above] ?? '') || (/^\s*\/\//.test(lines[above] ?? '') && !REASON.test(lines[above] ?? '')))
      above--
    return REASON.test(lines[above] ?? '') ? [] : [at + 1]
  })
}

function* testFiles(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (!['node_modules', 'dist'].includes(entry.name)) yield* testFiles(path)
    } else if (TEST_CODE.test(relative(ROOT, path))) yield path
  }
}

test('a test that waits for real time says why', () => {
  const faults = ['server', 'sdk', 'embed', 'bench']
    .flatMap((workspace) => [...testFiles(join(ROOT, workspace))])
    .filter((path) => path !== import.meta.path)
    .flatMap((path) => unexplainedPauses(readFileSync(path, 'utf8')).map((line) => `${relative(ROOT, path)}:${line}`))
  expect(faults).toEqual([])
})

test('a pause counts as explained by a comment above it or by a named constant, and by nothing else', () => {
  const sleep = 'await Bun.sleep'
  expect(unexplainedPauses(`${sleep}(50)`)).toEqual([1])
  expect(unexplainedPauses(`// A moment.\n${sleep}(50)`)).toEqual([2])
  expect(unexplainedPauses(`while (!isDone) ${sleep}(5)`)).toEqual([1])
  expect(unexplainedPauses(`// Real time: \n${sleep}(50)`)).toEqual([2])
  expect(unexplainedPauses(`// Real time: the disk is slow.\n${sleep}(50)`)).toEqual([])
  expect(unexplainedPauses(`// Real time: the disk is slow,\n// and full.\n${sleep}(50)`)).toEqual([])
  expect(unexplainedPauses(`${sleep}(QUIET_MS / 3)`)).toEqual([])
})
