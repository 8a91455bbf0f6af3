import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { settings } from '../src/config/settings.ts'
import { commandVariables } from '../tools/settings-table.ts'

const root = new URL('../..', import.meta.url).pathname
const READ = /(?:process|Bun|import\.meta)\.env(?:\??\.(\w+)|\[\s*'(\w+)'\s*\])?/g
const TAKEN_APART = /\{([^{}]*)\}\s*=\s*(?:process|Bun|import\.meta)\.env/g

/** Read by every program on the system, and set by npm. */
const isOfTheSystem = (name: string): boolean =>
  name.startsWith('npm_') || ['PATH', 'HOME', 'FONTCONFIG_FILE'].includes(name)

function sourcesIn(folder: string): string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
  return names.filter((name) => /\.(?:ts|tsx|mjs)$/.test(name)).map((name) => join(folder, name))
}

function variablesReadIn(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const members = [...text.matchAll(READ)].map(([, dotted, quoted]) => dotted ?? quoted ?? [])
  const parts = [...text.matchAll(TAKEN_APART)].flatMap(([, names = '']) => names.split(','))
  return [...members.flat(), ...parts.map((part) => part.replace(/[:=].*$/s, '').trim())]
}

test('every variable that a command reads by its name stands in a catalogue', () => {
  const folders = ['scripts', 'server/src', 'server/test', 'server/tools', 'sdk', 'embed', 'bench']
  const files = folders.flatMap(sourcesIn).filter((file) => !/(?:^|\/)(?:node_modules|dist)\//.test(file))
  const known = new Set([...Object.values(settings).map(({ name }) => name), ...Object.keys(commandVariables)])
  const read = files.flatMap((file) => variablesReadIn(file).map((name) => ({ file, name })))
  expect(read.filter(({ name }) => !known.has(name) && !isOfTheSystem(name))).toEqual([])
  const names = new Set(read.map(({ name }) => name))
  expect(Object.keys(commandVariables).filter((name) => !names.has(name))).toEqual([])
})

test('in the server, config.ts alone reads the environment, and only as a whole', () => {
  // In quotes it is a name that the bundle of the console replaces.
  const readers = sourcesIn('server/src').filter((file) =>
    /\.env\b(?!\.NODE_ENV')/.test(readFileSync(join(root, file), 'utf8')),
  )
  expect(readers).toEqual(['server/src/config/config.ts'])
  expect(variablesReadIn('server/src/config/config.ts')).toEqual([])
})
