import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { RECIPES } from './documents.ts'

const ROOT = join(import.meta.dir, '../..')
const TEST_FILE = /[\w./-]+\.(?:test|proof)\.ts/g

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const missing = (text: string): string[] =>
  (text.match(TEST_FILE) ?? []).filter((path) => !existsSync(join(ROOT, path)))

test('every claim of SECURITY.md names tests, and they exist', () => {
  const claims = read('SECURITY.md')
    .split(/\n(?=- \*\*)|\n\n/)
    .filter((part) => part.startsWith('- **'))
  expect(claims.length).toBeGreaterThan(8)
  expect(claims.filter((claim) => claim.match(TEST_FILE) === null).map((claim) => claim.split('\n')[0])).toEqual([])
  expect(missing(claims.join('\n'))).toEqual([])
})

test('every row of the guide to reliability names a command of the repository, and its tests exist', () => {
  const rows = read('docs/guides/reliability.md')
    .split('\n')
    .filter((line) => /^\| (?!-|accident |attack )/.test(line))
  expect(rows.length).toBeGreaterThan(20)
  expect(rows.filter((row) => !/`npm (?:test|run) [^`]+` +\|$/.test(row))).toEqual([])
  expect(missing(rows.join('\n'))).toEqual([])
})

const FOLDERS = [
  '.ci',
  'bench',
  'console',
  'deploy',
  'docs',
  'embed',
  'examples',
  'integrations',
  'scripts',
  'sdk',
  'server',
]
/** Paths of the repository, without installed packages and build output. */
const paths = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .map(({ parentPath, name }) => join(parentPath, name).slice(ROOT.length))
    .filter((path) => !/\/(?:node_modules|dist)(?:\/|$)/.test(path)),
)
const known = new Set([...paths, ...FOLDERS.map((folder) => `/${folder}`)].flatMap(endingsOf))

/** Names by which a document may refer to a file or folder: any end of its path, with or without a source extension. */
function endingsOf(path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '')
  const ends = parts.map((_, i) => parts.slice(i).join('/'))
  return [...ends, ...ends.map((end) => end.replace(/(?:\.d)?\.(?:tsx?|mjs|js|css|md)$/, ''))]
}

/** `db/{sqlite,postgres}/dump` names two files. */
function withoutBraces(name: string): string[] {
  const [whole, choices] = /\{([^}]*)\}/.exec(name) ?? []
  return whole && choices ? choices.split(',').map((choice) => name.replace(whole, choice)) : [name]
}

test('every file and folder that the documents for contributors name exists', () => {
  const named = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs/testing.md', ...RECIPES].flatMap(
    (document) =>
      [...read(document).matchAll(/`([\w.{},-]+(?:\/[\w.{},-]+)+)\/?`/g)].map(([, name = '']) => ({ document, name })),
  )
  expect(named.length).toBeGreaterThan(120)
  const isPlaceholder = (name: string) => /(?:^|[/-])[A-Z]{4,}/.test(name) || /^(?:application|text)\//.test(name)
  const faults = named
    .filter(({ name }) => !isPlaceholder(name))
    .flatMap(({ document, name }) => withoutBraces(name).map((path) => ({ document, path })))
    .filter(({ path }) => !known.has(path))
  expect(faults).toEqual([])
})

/** The titles of the tests in a file, as `test`, `test.each(…)` and `describe` name them; null if there is no such file. */
function titlesIn(path: string): Set<string> | null {
  if (!existsSync(join(ROOT, path))) return null
  const titles = /(?:\b(?:test|describe)(?:\.\w+)*\(|\)\()\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"),/g
  const found = [...read(path).matchAll(titles)].map(([, single, double]) => single ?? double ?? '')
  return new Set(found.map((title) => title.replaceAll(/\\(['"])/g, '$1')))
}

const audit = read('docs/spec-audit.md')
  .split(/^#{2,3} (?=\d)/m)
  .slice(1)
  .flatMap((section) => {
    const number = /^\d+(?:\.\d+)?/.exec(section)?.[0]
    const sentences = section.split(/^- /m).slice(1)
    return sentences.map((text, i) => ({ id: `${number}-${i + 1}`, text }))
  })

test('the sentences in the audit of the specification are numbered without a gap', () => {
  expect(audit.length).toBeGreaterThan(180)
  expect(audit.filter(({ id, text }) => !text.startsWith(`**${id}** `))).toEqual([])
})

/** The sentences that name no test, and the named tests that do not exist. */
function faultsOf(sentences: readonly { readonly id: string; readonly text: string }[]): string[] {
  const known = new Map<string, Set<string> | null>()
  const has = (path: string, title: string) => known.getOrInsertComputed(path, titlesIn)?.has(title) === true
  return sentences.flatMap(({ id, text }) => {
    const tests = [...text.matchAll(/^ {2}- `([^`]+)`: (.+)$/gm)]
    if (tests.length === 0) return [`${id} names no test`]
    return tests.filter(([, path = '', title = '']) => !has(path, title)).map(([line]) => `${id}${line}`)
  })
}

test('every sentence in the audit of the specification names tests, and they exist', () => {
  expect(faultsOf(audit)).toEqual([])
})

test('every sentence in the audit of the embeds names tests, and they exist', () => {
  const sentences = read('docs/embed-audit.md').split(/^- /m).slice(1)
  expect(sentences.map((text) => /^\*\*(\d+)\*\* /.exec(text)?.[1])).toEqual(sentences.map((_, i) => String(i + 1)))
  expect(faultsOf(sentences.map((text, i) => ({ id: String(i + 1), text })))).toEqual([])
})
