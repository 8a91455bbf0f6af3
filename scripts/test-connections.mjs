// How many connections to PostgreSQL the files of a process use at once, so that those that run side by side find room for all.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './install.mjs'
import { isUnit, reaches } from './test-files.mjs'

/** Connections of a test process with one service, whose pool is small (`service.ts`), while those of the previous one end. */
const USUAL = 14
const declared = /^\/\/ PostgreSQL connections: (\d+)/m
/** PostgreSQL's default limit minus a reserve, for runs that do not ask the server. */
const USUAL_ROOM = 90
/** Connections left free for psql and other programs, out of the room at the start. */
const SPARE = 4

const needsDatabase = /\/(engines|own-database|service|child-service|command)\.ts'/

/** A file that uses more than usual says how many: `// PostgreSQL connections: 40`. */
export const connectionsOf = (files) => Math.max(...files.map((file) => connectionsOfFile(file)))

function connectionsOfFile(file) {
  const [, number] = declared.exec(readFileSync(join(root, file), 'utf8')) ?? []
  if (number) return Number(number)
  return isUnit(file) || !reaches(file, needsDatabase) ? 0 : USUAL
}

export const roomIn = (template) => (template?.name ? template.room - SPARE : USUAL_ROOM)

/** Lines for the end of a run: the peak, and each process that used more than its files say. `batches` have `files` and `pid`. */
export function describeUse({ most, ofProcess }, room, batches) {
  const beyond = batches
    .map(({ files, pid }) => ({ files, used: ofProcess[pid] ?? 0, said: connectionsOf(files) }))
    .filter(({ used, said }) => used > said)
  return [
    `At most ${most} connections to PostgreSQL at once, of ${room}`,
    ...beyond.map(({ files, used, said }) => `${used} connections instead of ${said}: ${files.join(', ')}`),
  ]
}
