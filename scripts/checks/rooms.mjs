// Checks rules of server/src that dependency-cruiser cannot express. Prints each violation; exits 1 if there is one.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { features, layers } from '../../.dependency-cruiser.mjs'
import { root } from '../install.mjs'

/** Source files a folder may hold; a folder with more has two subjects. */
const MAX_FILES = 16

/** First words of a comment that make the reader look for its subject: VOICE asks for a noun or a verb. */
const STILTED = /^\s*(?:\/\/|\/\*\*?)\s+(?:What|Of|As|Its|Also|Not|That|Whom)\b/

/** Paths within server/src and their text, without tests and declarations. */
function readSources(folder) {
  const names = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.ts'))
  const sources = names.filter((name) => !/\.(test|proof|d)\.ts$/.test(name)).sort()
  return new Map(sources.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
}

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
}

function missingRooms(folder) {
  const named = [...layers.flat(), ...features.map((name) => `features/${name}/`)]
  const missing = named.filter((path) => !existsSync(join(folder, path)))
  return missing.map((path) => `.dependency-cruiser.mjs names ${path}, which is not in server/src`)
}

export function crowdFaults(files) {
  return [...Map.groupBy(files, dirname)].flatMap(([folder, inside]) => {
    const words = `${folder}/ holds ${inside.length} source files, at most ${MAX_FILES} are allowed`
    return inside.length > MAX_FILES ? [`${words}: give each subject a folder of its own`] : []
  })
}

/** Places of comments that begin with one of the words of `STILTED`, as `file:line`. */
export function stiltedComments(texts) {
  return [...texts].flatMap(([file, text]) =>
    text.split('\n').flatMap((line, index) => (STILTED.test(line) ? [`${file}:${index + 1}`] : [])),
  )
}

function commentFaults(texts) {
  const places = stiltedComments(texts)
  if (places.length === 0) return []
  return [
    `A comment begins with a noun or a verb, not with What, Of, As, Its, Also, Not, That or Whom:\n  ${places.join('\n  ')}`,
  ]
}

const WORKSPACES = ['bench', 'console', 'embed', 'scripts', 'sdk', 'server']
const SOURCE = /^(?!.*(?:^|\/)(?:node_modules|dist)\/).*(?<!\.d)\.(?:ts|tsx|mjs|css)$/
const TEST = /(?:^|\/)test\/|\.(?:test|proof)\.tsx?$/
const GENERATED = new Set([
  'sdk/src/openapi.ts',
  'server/src/db/stored-tables.ts',
  'console/src/words/event-meanings.ts',
])

function sourcesOfAllWorkspaces() {
  const names = WORKSPACES.flatMap((workspace) => {
    const inside = readdirSync(join(root, workspace), { recursive: true })
    return inside.map((name) => `${workspace}/${name}`).filter((name) => SOURCE.test(name))
  })
  return new Map(names.sort().map((name) => [name, readFileSync(join(root, name), 'utf8')]))
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const folder = join(root, 'server', 'src')
  const sources = readSources(folder)
  const texts = sourcesOfAllWorkspaces()
  const files = [...texts.keys()].filter((file) => !TEST.test(file))
  const faults = [
    ...missingRooms(folder),
    ...headerFaults(sources),
    ...crowdFaults(files),
    ...commentFaults(new Map([...texts].filter(([file]) => !GENERATED.has(file)))),
  ]
  for (const fault of faults) console.log(fault)
  process.exitCode = faults.length > 0 ? 1 : 0
}
