import { expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { GUIDES, ROOT, readDocument } from './documents.ts'

/** Blocks that only show something. `bash` is for commands that never end, take long, or need what a reader fills in. */
const SHOWN_ONLY = new Set(['bash', 'text', 'json', 'http'])

/** The test that runs, compiles or renders the other blocks of a document, or why none does. */
const OTHERS: Readonly<Record<string, string>> = {
  'README.md html': 'server/test/readme-console.proof.ts',
  'backup.md yaml': 'is a part of the configuration of Litestream, which is not installed here',
  'check-a-count.md ts': 'server/test/verified-log.test.ts',
  'clients.md ts': 'server/test/generated-clients.proof.ts',
  'embedding.md css': 'server/test/embedding-guide.test.ts',
  'embedding.md html': 'server/test/embedding-guide.test.ts',
  'embedding.md js': 'server/test/embedding-guide.test.ts',
  'frameworks.md angular': 'Angular is not installed here',
  'frameworks.md astro': 'Astro is not installed here',
  'frameworks.md svelte': 'sdk/test/frameworks.proof.ts',
  'frameworks.md tsx': 'sdk/test/frameworks.proof.ts',
  'frameworks.md vue': 'sdk/test/frameworks.proof.ts',
  'native.md html': 'server/test/native-guide.proof.ts',
  'native.md js': 'server/test/native-guide.proof.ts',
  'native.md kotlin': 'no compiler for it is installed here',
  'native.md swift': 'no compiler for it is installed here',
  'people.md js': 'server/test/people-in-browser.proof.ts',
  'sdk.md ts': 'sdk/test/package.proof.ts',
  'sdk.md tsx': 'sdk/test/package.proof.ts',
  'theming.md css': 'server/test/theming-guide.test.ts',
  'webhooks.md go': 'server/test/webhook-guide.test.ts',
  'webhooks.md python': 'server/test/webhook-guide.test.ts',
  'webhooks.md ts': 'server/test/webhook-guide.test.ts',
}

const tests = readdirSync(import.meta.dir)
  .filter((file) => /\.(test|proof)\.ts$/.test(file) && file !== basename(import.meta.path))
  .map((file) => readDocument(`server/test/${file}`))
  .join('\n')

const languagesOf = (file: string): string[] => {
  const fences = [...readDocument(file).matchAll(/^```(.*)$/gm)].map(([, language = '']) => language)
  // Every second fence closes a block.
  return fences.filter((_, i) => i % 2 === 0)
}

const blocks = ['README.md', ...GUIDES].flatMap((file) =>
  languagesOf(file).map((language) => ({ name: basename(file), language })),
)

test('every shell block of README and the guides is run as pasted, in order', () => {
  const names = new Set(blocks.filter(({ language }) => language === 'sh').map(({ name }) => name))
  expect(names.size).toBeGreaterThan(12)
  const unread = [...names].filter((name) => name !== 'README.md' && !tests.includes(`followGuide('${name}'`))
  expect(unread).toEqual([])
  expect(tests).toContain("readFile(join(root, 'README.md'), 'utf8')")
})

test('every other block is run by a test, or says by its language why not', () => {
  const others = blocks.filter(({ language }) => language !== 'sh' && !SHOWN_ONLY.has(language))
  const found = new Set(others.map(({ name, language }) => `${name} ${language}`))
  expect([...found].sort()).toEqual(Object.keys(OTHERS).sort())
  for (const [block, where] of Object.entries(OTHERS)) {
    if (!where.endsWith('.ts')) continue
    const [name = ''] = block.split(' ')
    expect([block, existsSync(join(ROOT, where)) && readDocument(where).includes(name)]).toEqual([block, true])
  }
})
