// Checks rules of server/src that dependency-cruiser cannot express. Prints each violation; exits 1 if there is one.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { features, layers } from '../../.dependency-cruiser.mjs'
import { root } from '../install.mjs'

/** Source files a folder may hold; a folder with more has two subjects. */
const MAX_FILES = 16

/** First words of a comment that make the reader look for its subject: VOICE asks for a noun or a verb. */
const STILTED = /^[^\S\n]*(?:\/\/[^\S\n]+|\/\*\*?\s+(?:\*\s+)?)(?:What|Of|As|Its|Also|Not|That|Whom)\b/gm

const NO_SOURCE = /\/(?:node_modules|dist)\/|\.d\.ts$/
const GENERATED = ['sdk/src/openapi.ts', 'server/src/db/stored-tables.ts', 'console/src/words/event-meanings.ts']

export const isTest = (path) => /(?:^|\/)test\/|\.(?:test|proof)\.tsx?$/.test(path)

/** The sources in a folder of the repository, or in several (`{a,b}`), by their path, without declarations. */
export function readSources(folder) {
  const names = [...new Bun.Glob(`${folder}/**/*.{ts,tsx,mjs,css}`).scanSync(root)]
  const sources = names.filter((name) => !NO_SOURCE.test(name)).sort()
  return new Map(sources.map((name) => [name, readFileSync(join(root, name), 'utf8')]))
}

/** The sources are those of server/src, by their path in it. */
export function headerFaults(sources) {
  const folders = Map.groupBy(sources.keys(), dirname)
  folders.delete('.')
  return [...folders.keys()].sort().flatMap((folder) => {
    const opened = folders.get(folder).filter((file) => sources.get(file).startsWith(`// ${folder}: `))
    if (opened.length !== 1) {
      const found = opened.length === 0 ? 'none does' : `these do: ${opened.join(', ')}`
      return `${folder}/: one file must begin with "// ${folder}: " and what lives in the folder; ${found}`
    }
    const lines = /^(?:\/\/.*\n)+/.exec(sources.get(opened[0]))[0].trimEnd().split('\n').length
    return lines > 4 ? `${opened[0]}: the header has ${lines} lines, at most 4 are allowed` : []
  })
}

function missingRooms() {
  const named = [...layers.flat(), ...features.map((name) => `features/${name}/`)]
  const missing = named.filter((path) => !existsSync(join(root, 'server/src', path)))
  return missing.map((path) => `.dependency-cruiser.mjs names ${path}, which is not in server/src`)
}

export function crowdFaults(files) {
  const crowds = [...Map.groupBy(files, dirname)].filter(([, inside]) => inside.length > MAX_FILES)
  return crowds.map(([folder, { length }]) => {
    const words = `${folder}/ holds ${length} source files, at most ${MAX_FILES} are allowed`
    return `${words}: give each subject a folder of its own`
  })
}

/** Places of comments that begin with one of the words of `STILTED`, as `file:line`. */
export function stiltedComments(texts) {
  return [...texts].flatMap(([file, text]) =>
    [...text.matchAll(STILTED)].map(
      ({ 0: found, index }) => `${file}:${text.slice(0, index + found.length).split('\n').length}`,
    ),
  )
}

if (import.meta.main) {
  const texts = readSources('{bench,console,embed,scripts,sdk,server}')
  const files = [...texts.keys()].filter((file) => !isTest(file))
  const ofServer = files.filter((file) => file.startsWith('server/src/'))
  const written = [...texts].filter(([file]) => !GENERATED.includes(file))
  const faults = [
    ...missingRooms(),
    ...headerFaults(new Map(ofServer.map((file) => [file.slice('server/src/'.length), texts.get(file)]))),
    ...crowdFaults(files),
    ...stiltedComments(written).map(
      (place) =>
        `${place}: a comment begins with a noun or a verb, not with What, Of, As, Its, Also, Not, That or Whom`,
    ),
  ]
  for (const fault of faults) console.log(fault)
  process.exitCode = faults.length > 0 ? 1 : 0
}
