// How large the project is: `npm run check -- --size`. Sources are counted without tests, generated files and declarations.
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { layers } from '../../.dependency-cruiser.mjs'
import { root } from '../install.mjs'
import { isTest, readSources } from './rooms.mjs'

const textOf = (path) => readFileSync(join(root, path), 'utf8')
const sumOf = (numbers) => numbers.reduce((sum, number) => sum + number, 0)

const sourcesIn = (folder) => [...readSources([folder])].filter(([path]) => !isTest(path) && !path.endsWith('.css'))
const linesIn = (sources) => sumOf(sources.map(([, text]) => text.split('\n').length - 1))

function largestFolder(sources) {
  const folders = [...Map.groupBy(sources, ([path]) => dirname(path))]
  const [folder, { length }] = folders.sort(([, left], [, right]) => right.length - left.length)[0]
  return `${length} (${folder})`
}

function charactersOfALine(sources) {
  const lines = sources.flatMap(([, text]) => text.split('\n')).filter((line) => line.trim() !== '')
  return (sumOf(lines.map((line) => line.length)) / lines.length).toFixed(1)
}

/** Interfaces that their file does not export and names once beside their declaration. */
function interfacesUsedOnce(sources) {
  return sources.flatMap(([, text]) => {
    const names = [...text.matchAll(/^interface (\w+)/gm)].map(([, name]) => name)
    return names.filter((name) => text.match(new RegExp(`\\b${name}\\b`, 'g')).length === 2)
  }).length
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
  const paths = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((name) => join(root, folder, name)),
  )
  const files = paths.map((path) => lstatSync(path)).filter((entry) => entry.isFile())
  return sumOf([...new Map(files.map(({ ino, size }) => [ino, size])).values()])
}

const server = sourcesIn('server/src')
const kilobytes = (path) => `${Math.round(textOf(path).length / 1_000)} KB`
const rows = [
  ['server/src, lines and files', `${linesIn(server)}, ${server.length}`],
  ['server/src, characters a line', charactersOfALine(server)],
  ['server/src, interfaces used once', interfacesUsedOnce(server)],
  ['bench, lines', linesIn(sourcesIn('bench'))],
  ['scripts, lines', linesIn(sourcesIn('scripts'))],
  ['files in the largest folder of server/src', largestFolder(server)],
  ['layers of server/src', layers.length],
  ['fonts', `${(bytesIn(['server/fonts']) / 1e6).toFixed(1)} MB`],
  ['installed by npm start', installed(({ dev }) => !dev)],
  ['installed for development', installed(() => true)],
  ['ARCHITECTURE; CONTRIBUTING', `${kilobytes('ARCHITECTURE.md')}; ${kilobytes('CONTRIBUTING.md')}`],
  ['decisions', readdirSync(join(root, 'docs/decisions')).length],
]
for (const [what, value] of rows) console.log(`${what.padEnd(42)} ${value}`)
