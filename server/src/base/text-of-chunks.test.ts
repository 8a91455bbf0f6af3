import { expect, test } from 'bun:test'
import { textOfChunks } from './text-of-chunks.ts'

async function* endless() {
  for (;;) yield new Uint8Array(1_000)
}

async function* halves() {
  yield* [new Uint8Array([0xc3]), new Uint8Array([0xa4])]
}

test('joins chunks before it reads characters', async () => {
  expect(await textOfChunks(halves())).toBe('ä')
})

test('gives up at the limit', async () => {
  await expect(textOfChunks(endless(), 10_000)).rejects.toThrow('longer than 10000 bytes')
})
