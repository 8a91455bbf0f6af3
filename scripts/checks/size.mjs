// How large the project is: `npm run check -- --size`. Sources are counted without tests and declarations.
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { layers } from '../../.dependency-cruiser.mjs'
import { root } from '../install.mjs'
import { isTest, readSources } from './rooms.mjs'

const textOf = (path) => readFileSync(join(root, path), 'utf8')

const isCounted = ([path]) => !isTest(path) && !path.endsWith('.css')
const textsIn = (folder) => [...readSources(folder)].filter(isCounted).map(([, text]) => text)
const linesIn = (texts) => texts.join('').split('\n').length - 1

function largestFolder(folder) {
  const folders = Map.groupBy([...readSources(folder)].filter(isCounted), ([path]) => dirname(path))
  const [[path, { length }]] = [...folders].sort(([, left], [, right]) => right.length - left.length)
  return `${length} (${path})`
}

function charactersOfALine(texts) {
  const lines = texts.flatMap((text) => text.split('\n')).filter((line) => line.trim() !== '')
  return (lines.join('').length / lines.length).toFixed(1)
}

/** Interfaces that their file does not export and names once beside their declaration. */
function interfacesUsedOnce(texts) {
  const isUsedOnce = (text, name) => text.match(new RegExp(`\\b${name}\\b`, 'g')).length === 2
  const namesIn = (text) => [...text.matchAll(/^interface (\w+)/gm)].map(([, name]) => name)
  return texts.flatMap((text) => namesIn(text).filter((name) => isUsedOnce(text, name))).length
}

/** The size and number of the installed packages that the lockfile has with these properties. */
function installed(isMeant) {
  const packages = Object.entries(JSON.parse(textOf('package-lock.json')).packages)
  const chosen = packages.filter(([path, entry]) => path.includes('node_modules/') && !entry.link && isMeant(entry))
  const present = chosen.map(([path]) => path).filter((path) => existsSync(join(root, path)))
  return `${Math.round(bytesIn(present) / 1e6)} MB, ${present.length} packages`
}

/** A file with several names, or in several of these folders, counts once. */
function bytesIn(folders) {
  const files = folders.flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
  const sizes = files.filter((file) => file.isFile()).map(({ parentPath, name }) => lstatSync(join(parentPath, name)))
  return new Map(sizes.map(({ ino, size }) => [ino, size])).values().reduce((sum, size) => sum + size, 0)
}

const server = textsIn('server/src')
const kilobytes = (path) => `${Math.round(textOf(path).length / 1_000)} KB`
const rows = [
  ['server/src, lines and files', `${linesIn(server)}, ${server.length}`],
  ['server/src, characters a line', charactersOfALine(server)],
  ['server/src, interfaces used once', interfacesUsedOnce(server)],
  ['bench, lines', linesIn(textsIn('bench'))],
  ['scripts, lines', linesIn(textsIn('scripts'))],
  ['files in the largest folder of server/src', largestFolder('server/src')],
  ['layers of server/src', layers.length],
  ['fonts', `${(bytesIn(['server/fonts']) / 1e6).toFixed(1)} MB`],
  ['installed by npm start', installed(({ dev }) => !dev)],
  ['installed for development', installed(() => true)],
  ['ARCHITECTURE; CONTRIBUTING', `${kilobytes('ARCHITECTURE.md')}; ${kilobytes('CONTRIBUTING.md')}`],
  ['decisions', readdirSync(join(root, 'docs/decisions')).length],
]
for (const [what, value] of rows) console.log(`${what.padEnd(42)} ${value}`)
