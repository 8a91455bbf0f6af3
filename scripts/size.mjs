// How large the project is: `npm run check -- --size`. Sources are counted without tests, generated files and declarations.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { layers } from '../.dependency-cruiser.mjs'
import { root } from './install.mjs'

const SKIPPED = /(?:^|\/)(?:node_modules|dist|test)\/|\.(?:test|proof|d)\.tsx?$/
const textOf = (path) => readFileSync(join(root, path), 'utf8')

function sourcesIn(folder) {
  const names = readdirSync(join(root, folder), { recursive: true }).map((name) => `${folder}/${name}`)
  return names.filter((name) => /\.(?:ts|tsx|mjs)$/.test(name) && !SKIPPED.test(name))
}

const linesOf = (files) => files.reduce((sum, file) => sum + textOf(file).split('\n').length - 1, 0)

function largestFolder(files) {
  const [folder, inside] = [...Map.groupBy(files, dirname)].sort(([, left], [, right]) => right.length - left.length)[0]
  return `${inside.length} (${folder})`
}

function charactersOfALine(files) {
  const lines = files.flatMap((file) => textOf(file).split('\n')).filter((line) => line.trim() !== '')
  return (lines.reduce((sum, line) => sum + line.length, 0) / lines.length).toFixed(1)
}

/** Interfaces that their file does not export and names once beside their declaration. */
function interfacesUsedOnce(files) {
  return files.flatMap((file) => {
    const text = textOf(file)
    const names = [...text.matchAll(/^interface (\w+)/gm)].map(([, name]) => name)
    return names.filter((name) => [...text.matchAll(new RegExp(`\\b${name}\\b`, 'g'))].length === 2)
  }).length
}

/** The size and number of the installed packages that the lockfile has with these properties. */
function installed(isMeant) {
  const counted = new Set()
  const { packages } = JSON.parse(textOf('package-lock.json'))
  const present = Object.keys(packages).filter(
    (path) => path.includes('node_modules/') && !packages[path].link && existsSync(join(root, path)),
  )
  const chosen = present.filter((path) => isMeant(packages[path]))
  const bytes = chosen.reduce((sum, path) => sum + bytesIn(join(root, path), counted), 0)
  return `${Math.round(bytes / 1e6)} MB, ${chosen.length} packages`
}

/** Without packages below it, and each file with several names once. */
function bytesIn(folder, counted) {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'node_modules' ? sum : sum + bytesIn(path, counted)
    const { ino, size } = statSync(path)
    if (counted.has(ino)) return sum
    counted.add(ino)
    return sum + size
  }, 0)
}

const server = sourcesIn('server/src')
const kilobytes = (path) => `${Math.round(textOf(path).length / 1_000)} KB`
const rows = [
  ['server/src, lines and files', `${linesOf(server)}, ${server.length}`],
  ['server/src, characters a line', charactersOfALine(server)],
  ['server/src, interfaces used once', interfacesUsedOnce(server)],
  ['bench, lines', linesOf(sourcesIn('bench'))],
  ['scripts, lines', linesOf(sourcesIn('scripts'))],
  ['files in the largest folder of server/src', largestFolder(server)],
  ['layers of server/src', layers.length],
  ['fonts', `${(bytesIn(join(root, 'server/fonts'), new Set()) / 1e6).toFixed(1)} MB`],
  ['installed by npm start', installed(({ dev }) => !dev)],
  ['installed for development', installed(() => true)],
  ['ARCHITECTURE; CONTRIBUTING', `${kilobytes('ARCHITECTURE.md')}; ${kilobytes('CONTRIBUTING.md')}`],
  ['decisions', readdirSync(join(root, 'docs/decisions')).length],
]
for (const [what, value] of rows) console.log(`${what.padEnd(42)} ${value}`)
