// Finds the test files, and chooses those that a command names.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { root } from './install.mjs'

const kinds = { test: /\.test\.tsx?$/, proof: /\.proof\.ts$/ }
const usesSample = /\[\.\.\.sampleEngines\]/
const flagsWithValue = [
  '-t',
  '--test-name-pattern',
  '--timeout',
  '--rerun-each',
  '--retry',
  '--seed',
  '--max-concurrency',
]

/** Separates our own options (`--unit`, `--proof`, `--all`), file names, and flags for `bun test`. */
export function splitArguments(args) {
  const own = { '--unit': ['unit'], '--proof': ['proof'], '--all': ['test', 'proof'] }
  const split = { speeds: ['test'], names: [], flags: [] }
  for (let index = 0; index < args.length; index++) {
    const arg = args[index]
    if (own[arg]) split.speeds = own[arg]
    else if (flagsWithValue.includes(arg)) split.flags.push(arg, args[++index] ?? '')
    else if (arg.startsWith('-')) split.flags.push(arg)
    else split.names.push(arg)
  }
  return split
}

/** Without names, every file of these speeds; otherwise the files whose path equals or contains a name. */
export function chooseFiles(speeds, names) {
  const all = findFiles()
  const offered = [...new Set(speeds.flatMap((speed) => filesOf(speed, all)))]
  if (names.length === 0) return offered
  const chosen = names.flatMap((name) => {
    const path = relative(root, resolve(root, name))
    const found = all.includes(path) ? [path] : offered.filter((file) => file.includes(name))
    if (found.length === 0) {
      process.stderr.write(`no test file is called ${name}\n`)
      process.exit(1)
    }
    return found
  })
  return [...new Set(chosen)]
}

function filesOf(speed, all) {
  if (speed === 'unit') return all.filter((file) => kinds.test.test(file) && isUnit(file))
  const ofSpeed = all.filter((file) => kinds[speed].test(file))
  return speed === 'proof' ? [...ofSpeed, ...all.filter((file) => isSampled(file))] : ofSpeed
}

/** Tests whose subject is not the database run on one engine in `npm test`, and on the other one among the proofs. */
export const sampleEngineOf = (speeds) => ({ test: 'sqlite', proof: 'postgres' })[speeds.join(' ')]

const isSampled = (file) => kinds.test.test(file) && usesSample.test(readFileSync(join(root, file), 'utf8'))

function findFiles() {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const isTest = (path) => Object.values(kinds).some((pattern) => pattern.test(path))
  return workspaces
    .flatMap((folder) => walk(folder))
    .filter(isTest)
    .sort()
}

function walk(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (!entry.isDirectory()) return [path]
    return ['node_modules', 'dist'].includes(entry.name) ? [] : walk(path)
  })
}

// Imports of files that start a browser, another process or a whole server, or connect to a database server.
const needsService = /playwright-core|node:child_process|Bun\.(spawn|\$)|\/(engines|own-database|service)\.ts'/

export const isUnit = (file) => !reaches(file, needsService)

/** True if this pattern is in the file, or in the test code that it imports. */
export function reaches(file, pattern, seen = new Set()) {
  if (seen.has(file)) return false
  seen.add(file)
  const text = readFileSync(join(root, file), 'utf8')
  if (pattern.test(text)) return true
  const imported = [...text.matchAll(IMPORT)].map(([, name]) => join(dirname(file), name))
  return imported.filter((path) => isTestCode(path)).some((path) => reaches(path, pattern, seen))
}

// Ignores imports of types, which load nothing.
const IMPORT = /^(?!import type ).*(?:from|import) '(\.[^']+)'/gm

const isTestCode = (path) => /\.tsx?$/.test(path) && !/(^|\/)src\//.test(path) && existsSync(join(root, path))
