import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import fonts from '../fonts/sources.json' with { type: 'json' }
import { FROZEN_MODULES } from '../tools/build/frozen-modules.ts'

// Checks the lists of sources that a build needs. bench/proof/forms.proof.ts makes the builds and tries them.

const ROOT = join(import.meta.dir, '../..')
const sources = readdirSync(join(ROOT, 'server/src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => ({ path: `server/src/${name}`, text: readFileSync(join(ROOT, 'server/src', name), 'utf8') }))

test('a build can run each module that runs as a process', () => {
  const entry = readFileSync(join(ROOT, 'server/tools/build/bundled-main.ts'), 'utf8')
  const parts = [...entry.matchAll(/^ {2}'([\w-]+\.ts)': \(\) => import\('\.\.\/\.\.\/(src\/.+)'\),$/gm)]
  const processes = sources.filter(({ path }) => path.endsWith('-process.ts')).map(({ path }) => path)
  const expected = ['server/src/main.ts', ...processes].map((path) => [basename(path), path.replace('server/', '')])
  expect(parts.map(([, name, path]) => [name, path]).sort()).toEqual(expected.sort())
})

/** Paths that work in a build: of a file imported `with { type: 'file' }`, and of a module that `ownCommand` runs. */
const KNOWN_PLACES =
  /resolve\(import\.meta\.dir, [^()]+\)|new URL\('[^']*(?:-process|\/main)\.ts', import\.meta\.url\)/g

test('only frozen modules look for files beside them: a build has no other files', () => {
  const looking = sources.filter(({ text }) =>
    /import\.meta\.(?!env)|Bun\.build\(/.test(text.replace(KNOWN_PLACES, '')),
  )
  expect(looking.map(({ path }) => path).sort()).toEqual([...FROZEN_MODULES])
})

test('each font has the package that it was made of, and all are beside their license', () => {
  const folder = join(ROOT, 'server/fonts')
  const made = fonts.map(({ name }) => `${name}.ttf.br`)
  expect(readdirSync(folder).sort()).toEqual(['OFL.txt', 'sources.json', ...made].sort())
  expect(readFileSync(join(folder, 'OFL.txt'), 'utf8')).toContain('SIL OPEN FONT LICENSE Version 1.1')
})
