import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type Checkpoint,
  entriesIn,
  isExtension,
  isSame,
  LogError,
  type LogSource,
  numbered,
  openCheckpoint,
  openLog,
  proofOfExtension,
  Tree,
  verifyLog,
} from '../../../../sdk/src/verify/index.ts'
import { iso, SECOND } from '../../base/clock.ts'
import { PlainFailure } from '../../base/errors.ts'
import { counted, printable, printableJson } from '../../base/text.ts'
import { transaction } from '../../db/transaction.ts'
import { holdLogged, restartLogs } from '../../features/log/restart-logs.ts'
import {
  type Command,
  confirm,
  optionalText,
  type Result,
  requiredArgument,
  UsageError,
  wholeNumber,
} from '../command.ts'
import { stopSignal } from '../stop-service.ts'
import { withDatabase } from '../with-database.ts'
import { EXIT_CODES, exitCodeOf, opened, pollAt } from './verify-log.ts'

const ENTRIES_OF_A_TILE = 256
const EVERY_SECONDS = 30

export const logMirrorCommand: Command = {
  words: 'log mirror',
  usage: 'URL DIR [--every SECONDS] [--once]',
  summary: 'Keep a copy of the log of a poll, and stop with an alarm when a checkpoint does not extend the last one',
  options: {
    every: { type: 'string', about: `Seconds between two looks; ${EVERY_SECONDS} by default` },
    once: { type: 'boolean', about: 'Look once' },
  },
  positionals: 2,
  details: `Runs until Ctrl-C. DIR gets a folder for each log: its key, every checkpoint that was seen, and the tiles of entries in the layout of C2SP tlog-tiles. An alarm leaves both signed checkpoints in a file, as evidence. While the service does not answer, the command tries again. ${EXIT_CODES}`,
  async run(given) {
    const { service, poll } = pollAt(requiredArgument(given, 'URL'))
    const folder = given.positionals[1]
    if (!folder) throw new UsageError('DIR is missing.')
    const every = optionalText(given, 'every') ?? `${EVERY_SECONDS}`
    const everyMs = wholeNumber('every', every, { least: 1, most: 99_999 }) * SECOND
    const isOnce = given.values['once'] === true
    const isJson = given.values['json'] === true
    const stopping = stopSignal()
    const mirror = new Mirror(folder, (line) => console.log(isJson ? printableJson(line) : printable(asText(line))))
    while (!stopping.aborted) {
      const alarm = await look(mirror, () => openLog(service, poll, { patienceMs: 0, signal: stopping }), isOnce)
      if (alarm) return alarm
      if (isOnce) break
      await pause(everyMs, undefined, { signal: stopping }).catch(() => undefined)
    }
    return null
  },
}

interface Line {
  readonly at: string
  readonly size: number
  readonly extends: number
}

const asText = ({ at, size, extends: before }: Line): string => `${at}  ${size} votes, extends ${before}`

/** Null if the copy is now the log's, or if the service did not answer. */
async function look(mirror: Mirror, open: () => Promise<LogSource>, isOnce: boolean): Promise<Result | null> {
  try {
    await mirror.follow(isOnce ? await opened(open) : await open())
    return null
  } catch (error) {
    if (!(error instanceof LogError)) {
      if (error instanceof Error && error.name === 'AbortError') return null
      throw error
    }
    const exitCode = exitCodeOf([error])
    const text = `${error.code}: ${error.message}`
    if (exitCode === 1 && !isOnce) {
      console.error(printable(`${text}. Trying again.`))
      return null
    }
    const { evidence } = mirror
    return {
      json: { isSound: false, faults: [{ code: error.code, message: error.message }], evidence },
      text: [`ALARM  ${text}`, ...(evidence ? [`Both checkpoints are in ${evidence}.`] : [])],
      exitCode,
    }
  }
}

/** A copy of a poll's log on the disk: the entries first, then the checkpoint that covers them. */
export class Mirror {
  /** The file with the two checkpoints that contradict each other. */
  evidence: string | null = null
  readonly #folder: string
  readonly #told: (line: Line) => void
  #last: Checkpoint | null = null
  #publicKey = ''
  #tree: Tree | null = null

  constructor(folder: string, told: (line: Line) => void) {
    this.#folder = folder
    this.#told = told
  }

  async follow(source: LogSource): Promise<void> {
    await this.#load(source)
    const last = this.#last
    if (last && last.origin !== source.origin) await this.#restart(source, last)
    const checkpoint = await openCheckpoint(source.checkpoint, this.#publicKey)
    if (checkpoint.origin !== source.origin) throw new LogError('SIGNATURE_INVALID', 'The checkpoint is of another log')
    const before = this.#last
    if (before && checkpoint.size === before.size && isSame(checkpoint.root, before.root)) return
    if (before && checkpoint.size <= before.size) throw await this.#contradicted(before, source)
    await this.#extend(source, checkpoint, before)
    await this.#keep(source.origin, 'checkpoint', checkpoint.note)
    await this.#keep(source.origin, `checkpoints/${String(checkpoint.size).padStart(9, '0')}`, checkpoint.note)
    await write(join(this.#folder, 'latest'), source.origin)
    this.#last = checkpoint
    this.#told({ at: iso(Date.now()), size: checkpoint.size, extends: before?.size ?? 0 })
  }

  /** Continues from the disk. The key of a log is the one that was seen first. */
  async #load({ origin, publicKey }: LogSource): Promise<void> {
    if (this.#publicKey) return
    const known = (await read(join(this.#folder, 'latest'))) ?? origin
    const key = (await read(this.#place(known, 'key'))) ?? publicKey
    await this.#keep(known, 'key', key)
    this.#publicKey = key
    const note = await read(this.#place(known, 'checkpoint'))
    if (note !== null) this.#last = await openCheckpoint(note, key)
  }

  /** A new log of the same poll must hold all that the one before held, and tell that it began. */
  async #restart(source: LogSource, last: Checkpoint): Promise<void> {
    const { faults } = await verifyLog({ ...source, tallies: null }, { seen: [last] })
    const [fault] = faults
    if (fault?.code === 'NOT_EXTENDED') throw await this.#contradicted(last, source)
    if (fault) throw fault
    this.#publicKey = source.publicKey
    this.#last = null
    this.#tree = null
    await this.#keep(source.origin, 'key', source.publicKey)
  }

  async #extend(source: LogSource, checkpoint: Checkpoint, before: Checkpoint | null): Promise<void> {
    const from = before?.size ?? 0
    const tree = this.#tree ?? (await this.#treeOnDisk(source.origin, before))
    // After a failure in between, the tree is read from the disk again.
    this.#tree = null
    const firstTile = Math.floor(from / ENTRIES_OF_A_TILE)
    let number = firstTile
    for await (const entries of source.entries(checkpoint.size, firstTile)) {
      const skipped = number === firstTile ? from % ENTRIES_OF_A_TILE : 0
      for (const entry of entries.slice(skipped)) tree.add(entry)
      await this.#keepTile(source.origin, number, entries)
      number++
    }
    if (tree.size !== checkpoint.size || !isSame(tree.root(), checkpoint.root)) {
      if (before && !(await isContinued(before, checkpoint, source))) throw await this.#contradicted(before, source)
      throw new LogError('ENTRY_ALTERED', `The entries up to vote ${checkpoint.size} are not those that were signed`)
    }
    this.#tree = tree
  }

  async #treeOnDisk(origin: string, last: Checkpoint | null): Promise<Tree> {
    const tree = new Tree()
    for (let number = 0; last && tree.size < last.size; number++) {
      const width = Math.min(ENTRIES_OF_A_TILE, last.size - tree.size)
      const bytes = await readFile(this.#tilePlace(origin, number, width)).catch(() =>
        readFile(this.#tilePlace(origin, number)),
      )
      for (const entry of entriesIn(bytes).slice(0, width)) tree.add(entry)
    }
    if (last && !isSame(tree.root(), last.root)) {
      throw new PlainFailure(
        `The copy in ${this.#folder} was changed: its entries are not those of its checkpoint. Begin another one in a new folder.`,
      )
    }
    return tree
  }

  async #keepTile(origin: string, number: number, entries: readonly string[]): Promise<void> {
    const parts = entries.map((entry) => {
      const bytes = Buffer.from(entry)
      const head = Buffer.alloc(2)
      head.writeUInt16BE(bytes.length)
      return Buffer.concat([head, bytes])
    })
    await write(this.#tilePlace(origin, number, entries.length), Buffer.concat(parts))
    const isComplete = entries.length === ENTRIES_OF_A_TILE
    if (isComplete) await rm(`${this.#tilePlace(origin, number)}.p`, { recursive: true, force: true })
  }

  #tilePlace(origin: string, number: number, width = ENTRIES_OF_A_TILE): string {
    const partial = width < ENTRIES_OF_A_TILE ? `.p/${width}` : ''
    return this.#place(origin, `tile/entries/${numbered(number)}${partial}`)
  }

  async #contradicted(last: Checkpoint, source: LogSource): Promise<LogError> {
    const checkpoints = [last.note, source.checkpoint].map((checkpoint, i) => ({
      checkpoint,
      publicKey: i === 0 ? this.#publicKey : source.publicKey,
    }))
    this.evidence = join(this.#folder, `evidence-${iso(Date.now()).replaceAll(':', '')}.json`)
    await write(this.evidence, JSON.stringify({ format: 'tossup-log-evidence/1', checkpoints }, null, 2))
    return new LogError(
      'NOT_EXTENDED',
      `The checkpoint does not extend the one of ${last.size} votes that was seen before`,
    )
  }

  /** The last part of a log's name is its generation. */
  #place(origin: string, path: string): string {
    const generation = /\/([\w-]{1,64})$/.exec(origin)?.[1]
    if (!generation) throw new LogError('MALFORMED', 'The log has no generation in its name')
    return join(this.#folder, generation, path)
  }

  #keep(origin: string, path: string, content: string): Promise<void> {
    return write(this.#place(origin, path), content)
  }
}

async function isContinued(before: Checkpoint, after: Checkpoint, { readTile }: LogSource): Promise<boolean> {
  if (!readTile) return false
  const proof = await proofOfExtension(before.size, after.size, readTile).catch(() => null)
  return proof !== null && isExtension({ before, after, proof })
}

const read = (path: string): Promise<string | null> => readFile(path, 'utf8').catch(() => null)

/** Complete or not at all. */
async function write(path: string, content: string | Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(`${path}.new`, content)
  await rename(`${path}.new`, path)
}

export const logRestart: Command = {
  words: 'log restart',
  usage: '[--yes]',
  summary:
    'Begin the logs of all polls again, after the database has lost commits in a failover or a recovery to a point in time',
  details:
    'Checkpoints may name votes that the database has no more. Each poll gets a log under a new origin, which tells the last size of the one before. A restore of a backup does this by itself.',
  options: { yes: { type: 'boolean', about: 'Begin again without asking' } },
  run: (given) =>
    withDatabase(async ({ clock, engine }) => {
      await confirm(given, { what: 'This ends the logs of all polls and begins new ones.', word: 'restart' })
      const ended = await transaction(engine, async (tx) => {
        await holdLogged(engine, tx)
        return restartLogs(tx, clock.now())
      })
      return { json: { ended }, text: `Ended ${counted(ended, 'log')}. The server begins new ones within seconds.` }
    }),
}
