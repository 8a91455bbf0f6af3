import { bytesIn, entryOf } from './entry.ts'
import { LogError } from './log-error.ts'
import type { LogSource, LogTallies, Restart } from './log-source.ts'
import { type Checkpoint, openCheckpoint } from './note.ts'
import { type Hash, isSame, leafHash, rootOfInclusion, Tree } from './tree.ts'

export { entryOf } from './entry.ts'
export { LogError, type LogFault } from './log-error.ts'
export { entriesIn, type LogSource, numbered, openLog, type ReadOptions, readBundle } from './log-source.ts'
export { type Checkpoint, openCheckpoint } from './note.ts'
export { type Hash, isExtension, isSame, leafHash, proofOfExtension, rootOfInclusion, Tree } from './tree.ts'

const ENTRY = /^tossup-vote\/1 [AB] [\w-]{43}$/
/** Where an entry has its option. */
const OPTION_AT = 14
/** Then a page gets a turn. */
const SLICE_MS = 30

type Option = 'A' | 'B'

export interface VerifyOptions {
  /** The key that must have signed, in place of the one that comes with the log. */
  readonly publicKey?: string | undefined
  /** Earlier checkpoints of the poll, from an earlier visit or from somebody else: the log must extend each. */
  readonly seen?: readonly Checkpoint[]
  /** The entry of one's own vote: see `entryOf`. */
  readonly ownEntry?: string | null | undefined
  readonly onProgress?: (counted: number, size: number) => void
  readonly signal?: AbortSignal
}

export interface Verdict {
  /** Everything that was checked holds. */
  readonly isSound: boolean
  readonly faults: readonly LogError[]
  /** Null where its signature does not hold. */
  readonly checkpoint: Checkpoint | null
  /** The sum of the entries; null where they are not those that were signed. */
  readonly count: LogTallies | null
  /** The place of one's own vote, from 0; null where none was asked for, or it is not there. */
  readonly ownIndex: number | null
  /** The beginnings of new logs since the checkpoints of `seen`, whose entries are all still there. */
  readonly restarts: readonly Restart[]
}

/** Checks a log: signature, entries, earlier checkpoints, one's own vote, and the sum against the tally. */
export async function verifyLog(source: LogSource, options: VerifyOptions = {}): Promise<Verdict> {
  const { publicKey = source.publicKey, seen = [], ownEntry, signal } = options
  const nothing = { isSound: false, checkpoint: null, count: null, ownIndex: null, restarts: [] }
  let checkpoint: Checkpoint | null = null
  try {
    checkpoint = await openCheckpoint(source.checkpoint, publicKey)
    if (checkpoint.origin !== source.origin) throw new LogError('SIGNATURE_INVALID', 'The checkpoint is of another log')
    const { size } = checkpoint
    const { tree, count, ownIndex, roots, atTally } = await recount(source, size, options)
    if (tree.size !== size || !isSame(tree.root(), checkpoint.root)) throw await alteredIn(source, checkpoint, tree)
    const faults: LogError[] = []
    const restarts = seen.flatMap((earlier) => extended(earlier, source, roots, faults))
    if (ownEntry && ownIndex === null) faults.push(new LogError('VOTE_MISSING', 'The vote is not in the log'))
    compareTally(source.tallies, atTally ?? count, faults)
    return { isSound: faults.length === 0, faults, checkpoint, count, ownIndex, restarts }
  } catch (error) {
    signal?.throwIfAborted()
    if (!(error instanceof LogError)) throw error
    return { ...nothing, checkpoint, faults: [error] }
  }
}

/** Counts entries in their order. */
class Recount {
  readonly tree = new Tree()
  readonly count = { optionA: 0, optionB: 0 }
  /** The count at the vote of the published tally; null if there are fewer. */
  atTally: LogTallies | null = null
  ownIndex: number | null = null
  /** The root at each size that was seen before. */
  readonly roots = new Map<number, Hash>()
  readonly #inTally: number
  readonly #sizes: ReadonlySet<number>
  readonly #ownEntry: string | null

  constructor({ tallies }: LogSource, { seen = [], ownEntry = null }: VerifyOptions) {
    this.#inTally = tallies ? tallies.optionA + tallies.optionB : -1
    this.#sizes = new Set(seen.map(({ size }) => size))
    this.#ownEntry = ownEntry
    this.#look()
  }

  add(entry: string): void {
    const { tree, count } = this
    const place = tree.size + 1
    if (!ENTRY.test(entry))
      throw new LogError('ENTRY_ALTERED', `The entry of vote ${place} has another form`, [place, place])
    if (entry === this.#ownEntry) this.ownIndex = tree.size
    if (entry[OPTION_AT] === 'A') count.optionA++
    else count.optionB++
    tree.add(entry)
    this.#look()
  }

  #look(): void {
    const { tree, count } = this
    if (tree.size === this.#inTally) this.atTally = { ...count }
    if (this.#sizes.has(tree.size)) this.roots.set(tree.size, tree.root())
  }
}

async function recount(source: LogSource, size: number, options: VerifyOptions): Promise<Recount> {
  const counted = new Recount(source, options)
  let since = performance.now()
  for await (const entries of source.entries(size)) {
    for (const entry of entries) counted.add(entry)
    if (performance.now() - since < SLICE_MS) continue
    options.onProgress?.(counted.tree.size, size)
    await new Promise((resolve) => setTimeout(resolve))
    options.signal?.throwIfAborted()
    since = performance.now()
  }
  return counted
}

/** Says between which votes, where the tiles of the log still have the hashes that were signed. */
async function alteredIn({ readTile }: LogSource, { size }: Checkpoint, tree: Tree): Promise<LogError> {
  const words =
    tree.size === size
      ? 'The entries are not those that were signed'
      : `There are ${tree.size} entries, ${size} were signed`
  for (let number = 0; readTile && number < tree.blocks.length; number += 256) {
    const blocks = tree.blocks.slice(number, number + 256)
    const width = Math.min(256, blocks.length)
    const signed = await readTile(1, number / 256, width).catch(() => [])
    const i = blocks.findIndex((block, at) => signed[at] !== undefined && !isSame(block, signed[at]))
    const first = 256 * (number + i) + 1
    if (i >= 0)
      return new LogError('ENTRY_ALTERED', `${words}, between votes ${first} and ${first + 255}`, [first, first + 255])
  }
  const first = 256 * tree.blocks.length + 1
  return new LogError('ENTRY_ALTERED', words, readTile && first <= size ? [first, size] : null)
}

/** The restart between, where there was one and everything seen is still there. */
function extended(
  earlier: Checkpoint,
  { origin, restarts }: LogSource,
  roots: ReadonlyMap<number, Hash>,
  faults: LogError[],
): readonly Restart[] {
  const restart = restarts.find((each) => each.origin === earlier.origin)
  const isTold = earlier.origin === origin || (restart !== undefined && restart.size >= earlier.size)
  if (isTold && isSame(roots.get(earlier.size), earlier.root)) return restart ? [restart] : []
  const why = restart ? `; a new log began at ${restart.at}` : ''
  faults.push(
    new LogError(
      'NOT_EXTENDED',
      `The log does not extend the checkpoint of ${earlier.size} votes that was seen before${why}`,
    ),
  )
  return []
}

function compareTally(tally: LogTallies | null, count: LogTallies, faults: LogError[]): void {
  if (!tally) return
  const [a, b] = [tally.optionA - count.optionA, tally.optionB - count.optionB]
  if (a === 0 && b === 0) return
  const isBehind = a >= 0 && b >= 0
  const words = `The entries are ${count.optionA} votes for A and ${count.optionB} for B, the tally says ${tally.optionA} and ${tally.optionB}`
  faults.push(new LogError(isBehind ? 'LOG_BEHIND' : 'COUNT_DIFFERS', words))
}

export interface Receipt {
  readonly nonce: string
  /** Null, as are the two that follow, until a checkpoint holds the vote; absent while results are hidden. */
  readonly index?: number | null | undefined
  readonly proof?: readonly string[] | null | undefined
  readonly checkpoint?: string | null | undefined
}

/** Checks a receipt: the vote is in the checkpoint, at its place. Null before a checkpoint holds it. */
export async function verifyReceipt(receipt: Receipt, option: Option, publicKey: string): Promise<Checkpoint | null> {
  const { nonce, index, proof, checkpoint: note } = receipt
  if (typeof index !== 'number' || !proof || !note) return null
  const entry = entryOf(option, nonce)
  const checkpoint = await openCheckpoint(note, publicKey)
  const hashes = proof.slice(0, 64).map((each) => bytesIn(each) ?? new Uint8Array())
  const root = entry && rootOfInclusion({ index, size: checkpoint.size, leaf: leafHash(entry), proof: hashes })
  if (!root || !isSame(root, checkpoint.root))
    throw new LogError('VOTE_MISSING', 'The proof does not lead to the checkpoint')
  return checkpoint
}
