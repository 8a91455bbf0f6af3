import { expect, test } from 'bun:test'
import { join } from 'node:path'

type Sources = ReadonlyMap<string, string>
interface Rooms {
  readonly readSources: (folder: string) => Sources
  readonly headerFaults: (sources: Sources) => string[]
  readonly crowdFaults: (files: readonly string[]) => string[]
  readonly stiltedComments: (texts: Sources) => string[]
}

const { headerFaults, crowdFaults, stiltedComments }: Rooms = await import(
  join(import.meta.dir, '../../scripts/checks/rooms.mjs')
)

const sourcesOf = (files: Record<string, string>): Sources => new Map(Object.entries(files))

const votes = '// features/votes: casts votes.\n\n'
const polls = '// features/polls: polls.\n\n'

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
  const long = `${polls.trimEnd()}\n// two\n// three\n// four\n// five\n`
  expect(headerFaults(sourcesOf({ 'features/polls/a.ts': long }))).toEqual([expect.stringContaining('has 5 lines')])
})

test('a folder with more files than it may hold fails; files of its folders do not count', () => {
  const files = Array.from({ length: 17 }, (_, n) => `polls/file-${n}.ts`)
  const fault = 'polls/ holds 17 source files, at most 16 are allowed: give each subject a folder of its own'
  expect(crowdFaults(files)).toEqual([fault])
  expect(crowdFaults([...files.slice(1), 'polls/feed/feed.ts'])).toEqual([])
})

test('a comment that begins with a pronoun or a relative is found, on a line of its own and in a block', () => {
  const text =
    "// What is kept.\n/** Of a poll. */\n * Not the beginning of a comment\nconst a = 'What' // Its end\n/** Polls. */\n"
  expect(stiltedComments(sourcesOf({ 'polls/a.ts': text }))).toEqual(['polls/a.ts:1', 'polls/a.ts:2'])
  const block = '/**\n * Whom a poll is for.\n * Not the beginning.\n */\n//\nNot = 1\n'
  expect(stiltedComments(sourcesOf({ 'polls/b.ts': block }))).toEqual(['polls/b.ts:2'])
})
