// Checks rules of server/src that dependency-cruiser cannot express. Prints each violation; exits 1 if there is one.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { features, layers } from '../.dependency-cruiser.mjs'
import { root } from './install.mjs'

/** Files on the longest chain of imports that load each other. Lower this when the chain gets shorter. */
const LONGEST_CHAIN = 12

/** Paths within server/src and their text, without tests and declarations. */
export function readSources(folder) {
  const names = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.ts'))
  const sources = names.filter((name) => !/\.(test|proof|d)\.ts$/.test(name)).sort()
  return new Map(sources.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
}

/** The longest path from a file along its imports. Type-only imports load nothing and do not count. */
export function longestChain(sources) {
  const known = new Map()
  const chainFrom = (file) => {
    if (!known.has(file)) known.set(file, [file, ...longest(importsOf(sources, file, { types: false }).map(chainFrom))])
    return known.get(file)
  }
  return longest([...sources.keys()].map(chainFrom))
}

const longest = (chains) => chains.reduce((best, chain) => (chain.length > best.length ? chain : best), [])

function importsOf(sources, file, { types }) {
  const text = sources.get(file)
  const statements = [...text.matchAll(/^(?:import|export)\s(type\s)?(?:[^'"]*?\sfrom\s)?\s*'(\.[^']+)'/gm)]
  const dynamic = [...text.matchAll(/\bimport\(\s*'(\.[^']+)'/g)].map(([, path]) => path)
  const wanted = statements.filter(([, type]) => types || !type).map(([, , path]) => path)
  const paths = [...wanted, ...dynamic].map((path) => join(dirname(file), path))
  return [...new Set(paths)].filter((path) => sources.has(path))
}

/** A room is a feature or another folder of server/src. Folders within a room only state their purpose. */
export function headerFaults(sources) {
  const folders = [...new Set([...sources.keys()].map(dirname))].filter((folder) => folder !== '.')
  return folders.sort().flatMap((folder) => headerFault(sources, folder) ?? [])
}

function headerFault(sources, folder) {
  const inside = [...sources.keys()].filter((file) => dirname(file) === folder)
  const opened = inside.filter((file) => sources.get(file).startsWith(`// ${folder}: `))
  if (opened.length !== 1) {
    const found = opened.length === 0 ? 'none does' : `these do: ${opened.join(', ')}`
    return `${folder}/: one file must begin with "// ${folder}: " and what lives in the folder; ${found}`
  }
  const header = /^(?:\/\/.*\n)+/.exec(sources.get(opened[0]))[0].trimEnd().split('\n')
  if (header.length > 4) return `${opened[0]}: the header has ${header.length} lines, at most 4 are allowed`
  if (roomOf(`${folder}/`) !== folder) return undefined
  const line = importLine(sources, folder)
  return header.includes(line) ? undefined : `${opened[0]}: the header must have the line "${line}"`
}

function importLine(sources, room) {
  const isFeature = room.startsWith('features/')
  const files = [...sources.keys()].filter((file) => roomOf(file) === room)
  const imported = files.flatMap((file) => importsOf(sources, file, { types: true })).map(roomOf)
  const others = [...new Set(imported)].filter((other) => other && other !== room)
  const names = isFeature
    ? others.filter((other) => other.startsWith('features/')).map((other) => other.slice('features/'.length))
    : [...new Set(others.map((other) => other.split('/')[0]))]
  return `// Imports ${isFeature ? 'features' : 'rooms'}: ${names.sort().join(', ') || 'none'}.`
}

function roomOf(file) {
  const [first, second, third] = file.split('/')
  if (first === 'features') return third === undefined ? undefined : `features/${second}`
  return second === undefined ? undefined : first
}

function missingRooms(folder) {
  const named = [...layers.flat(), ...features.map((name) => `features/${name}/`)]
  const missing = named.filter((path) => !existsSync(join(folder, path)))
  return missing.map((path) => `.dependency-cruiser.mjs names ${path}, which is not in server/src`)
}

function chainFaults(sources) {
  const chain = longestChain(sources)
  if (chain.length <= LONGEST_CHAIN) return []
  const words = `${chain.length} files import one another in a chain, at most ${LONGEST_CHAIN} are allowed`
  return [`${words}; take an import out of it:\n  ${chain.join('\n  ')}`]
}

/** Two exports of one name in different files: a reader would have to know which one is meant. */
export function namesakes(sources) {
  const filesOf = new Map()
  for (const [file, text] of sources) {
    const names = [...text.matchAll(/^export (?:abstract |async )?(?:class|const|function\*?|interface|type) (\w+)/gm)]
    for (const [, name] of names) filesOf.set(name, [...(filesOf.get(name) ?? []), file])
  }
  const shared = [...filesOf].filter(([, files]) => files.length > 1)
  return shared.map(([name, files]) => `${name} is exported by ${files.join(' and ')}: give each its own name`)
}

/** Files that every feature has, commands named after their word, and the engine's own version of what `db/` declares. */
const isOfARole = (file) =>
  /(?:^|\/)(?:(?:\w+-)?routes|queries|schema)\.ts$/.test(file) || /^(?:cli|db\/(?:sqlite|postgres))\//.test(file)

/** Two files of one name elsewhere: a reader would have to know which one is meant. */
export function sameFileNames(sources) {
  const files = [...sources.keys()].filter((file) => !isOfARole(file))
  const shared = [...Map.groupBy(files, (file) => file.split('/').at(-1))].filter(([, paths]) => paths.length > 1)
  return shared.map(([, paths]) => `${paths.join(' and ')} have one name: name each after what is in it`)
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const folder = join(root, 'server', 'src')
  const sources = readSources(folder)
  const faults = [
    ...missingRooms(folder),
    ...headerFaults(sources),
    ...chainFaults(sources),
    ...namesakes(sources),
    ...sameFileNames(sources),
  ]
  for (const fault of faults) console.log(fault)
  process.exitCode = faults.length > 0 ? 1 : 0
}
