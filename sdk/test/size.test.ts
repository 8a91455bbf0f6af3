import { expect, test } from 'bun:test'

const KB = 1000

async function gzipSizeOf(source: string): Promise<number> {
  const path = new URL('./only-in-memory.ts', import.meta.url).pathname
  const built = await Bun.build({ entrypoints: [path], files: { [path]: source }, minify: true, target: 'browser' })
  const code = (await Promise.all(built.outputs.map((output) => output.text()))).join('')
  return Bun.gzipSync(code, { level: 9 }).length
}

test.each([
  ['what an embed uses', "import * as sdk from '../src/visitor/index.ts'; Object.assign(globalThis, sdk)", 6],
  [
    'the same, with votes that wait for a network',
    "import * as sdk from '../src/visitor/index.ts'; import { VoteQueue } from '../src/vote-queue.ts'; Object.assign(globalThis, sdk, { VoteQueue })",
    6.1,
  ],
  // With a method for each operation of a brand, so it grows with the interface.
  ['all of it', "import * as sdk from '../src/index.ts'; Object.assign(globalThis, sdk)", 11],
])('%s is small', async (name, source, most) => {
  const bytes = await gzipSizeOf(source)
  process.stdout.write(`${name}: ${bytes} bytes of gzip, at most ${most * KB}\n`)
  expect(bytes).toBeGreaterThan(KB)
  expect(bytes).toBeLessThan(most * KB)
})
