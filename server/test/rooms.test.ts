import { expect, test } from 'bun:test'
import { join } from 'node:path'

type Sources = ReadonlyMap<string, string>
interface Rooms {
  readonly readSources: (folder: string) => Sources
  readonly longestChain: (sources: Sources) => string[]
  readonly headerFaults: (sources: Sources) => string[]
  readonly namesakes: (sources: Sources) => string[]
  readonly sameFileNames: (sources: Sources) => string[]
}

const { readSources, longestChain, headerFaults, namesakes, sameFileNames }: Rooms = await import(
  join(import.meta.dir, '../../scripts/check-rooms.mjs')
)

const sourcesOf = (files: Record<string, string>): Sources => new Map(Object.entries(files))

const votes = '// features/votes: casts votes.\n// Imports features: polls.\n\n'
const polls = '// features/polls: polls.\n// Imports features: none.\n\n'

test('a folder whose first file says what lives there passes', () => {
  const sources = sourcesOf({
    'features/votes/routes.ts': `${votes}import type { Poll } from '../polls/queries.ts'\n`,
    'features/polls/queries.ts': polls,
    'features/polls/feed/feed.ts': '// features/polls/feed: the public list.\n\n',
  })
  expect(headerFaults(sources)).toEqual([])
})

test('a new folder without a header fails, be it a room or a folder within one', () => {
  const sources = sourcesOf({
    'features/polls/queries.ts': polls,
    'features/polls/feed/feed.ts': 'export {}\n',
    'cluster/leader.ts': 'export {}\n',
  })
  expect(headerFaults(sources)).toEqual([
    'cluster/: one file must begin with "// cluster: " and what lives in the folder; none does',
    'features/polls/feed/: one file must begin with "// features/polls/feed: " and what lives in the folder; none does',
  ])
})

test('two headers for one folder fail', () => {
  const faults = headerFaults(sourcesOf({ 'features/polls/a.ts': polls, 'features/polls/b.ts': polls }))
  expect(faults).toEqual([expect.stringContaining('these do: features/polls/a.ts, features/polls/b.ts')])
})

test('a header of more than four lines fails', () => {
  const long = `${polls.trimEnd()}\n// three\n// four\n// five\n`
  expect(headerFaults(sourcesOf({ 'features/polls/a.ts': long }))).toEqual([expect.stringContaining('has 5 lines')])
})

test('a header that does not name what its room imports fails, and the fault says the right line', () => {
  const sources = sourcesOf({
    'features/votes/routes.ts': votes,
    'features/votes/queries.ts': "import { a } from '../guests/a.ts'\nexport type { b } from '../polls/b.ts'\n",
    'features/polls/b.ts': polls,
    'features/guests/a.ts': '// features/guests: guests.\n// Imports features: none.\n',
  })
  expect(headerFaults(sources)).toEqual([
    'features/votes/routes.ts: the header must have the line "// Imports features: guests, polls."',
  ])
})

test('the longest chain goes through imports that load a file, and not through types', () => {
  const sources = sourcesOf({
    'a.ts': "import { b } from './b.ts'\nimport type { e } from './e.ts'\n",
    'b.ts': "import {\n  c,\n  type C,\n} from './c.ts'\n",
    'c.ts': "const load = () => import('./d.ts')\n",
    'd.ts': "export type { e } from './e.ts'\n",
    'e.ts': "import './f.ts'\n",
    'f.ts': '',
  })
  expect(longestChain(sources)).toEqual(['a.ts', 'b.ts', 'c.ts', 'd.ts'])
})

test('every import of the server is understood: from main.ts the chain leads down to a room that knows nothing of polls', () => {
  const chain = longestChain(readSources(join(import.meta.dir, '../src')))
  expect(chain[0]).toBe('main.ts')
  expect(chain.at(-1)).toMatch(/^(base|http)\//)
})

test('two exports of one name fail; passing on what another file exports does not', () => {
  const sources = sourcesOf({
    'a.ts': 'export interface Place {}\nexport const only = 1\n',
    'b.ts': 'export type Place = string\n',
    'c.ts': "export type { Place } from './a.ts'\n",
  })
  expect(namesakes(sources)).toEqual(['Place is exported by a.ts and b.ts: give each its own name'])
})

test('two files of one name fail, except those that every feature has, commands and engines', () => {
  const alike = ['features/votes/routes.ts', 'features/polls/routes.ts', 'polls/poll.ts', 'cli/poll.ts']
  const engines = ['db/dump.ts', 'db/sqlite/dump.ts', 'db/postgres/dump.ts']
  const empty = (files: string[]) => sourcesOf(Object.fromEntries(files.map((file) => [file, ''])))
  expect(sameFileNames(empty([...alike, ...engines]))).toEqual([])
  expect(sameFileNames(empty(['base/errors.ts', 'http/errors.ts']))).toEqual([
    'base/errors.ts and http/errors.ts have one name: name each after what is in it',
  ])
})
