import type { ExpressionBuilder, Updateable } from 'kysely'
import { SECOND } from '../../base/clock.ts'
import { AppError } from '../../base/errors.ts'
import { kept } from '../../base/fields.ts'
import { JobKilled } from '../../base/isolation/job.ts'
import { inBatches } from '../../base/work/jobs.ts'
import type { Db, Engine, Tx } from '../../db/store.ts'
import type { FileRow, Tables } from '../../db/tables.ts'
import { transaction } from '../../db/transaction.ts'
import type { UpdatePoll } from '../../events/resources/poll.ts'
import { fileKey, variantKey } from '../../files/file-keys.ts'
import { type FileStore, StoreAway } from '../../files/file-store.ts'
import { variantWidths } from '../../files/pictures/compose.ts'
import { imageErrorOf } from '../../files/pictures/container.ts'
import type { Deps, WriteDeps } from '../deps.ts'
import { fileBehind, type PollSlot } from '../uploads/files.ts'
import { PLACEMENT, placementOf } from './poll-columns.ts'
import { emitPoll } from './poll-events.ts'
import { type PollRow, pollsByKey } from './queries.ts'

/** The lease of a picture: after a crash another process takes it. */
const LEASE_MS = 120 * SECOND
const AGAIN_MS = 30 * SECOND
/** A picture that crashes the process is given up after a few tries. */
const MOST_TRIES = 5

/** Composes the ordered pictures and makes the narrower copies of new ones, one after the other. */
export const makePictures = (deps: Deps): Promise<boolean> =>
  inBatches(async () => {
    const file = await takeFile(deps)
    if (file) await makeAll(deps, file)
    return file !== null
  })

/** For an upload that is about to be answered: its picture is stored, so a failure is left to the worker. */
export async function makeVariantsOf(deps: Deps, key: string): Promise<void> {
  try {
    const file = await deps.engine.db.selectFrom('files').selectAll().where('key', '=', key).executeTakeFirst()
    if (file) await makeAll(deps, file)
  } catch (error) {
    deps.log.error({ err: error, file: key }, 'the variants of an uploaded picture were not made: trying again later')
  }
}

/** For a server that runs alone: leases at its start belong to a process that died. */
export const takeUpAgain = (engine: Engine, now: number): Promise<void> =>
  transaction(engine, async (tx) => {
    await tx.updateTable('files').set({ variants_due_at: now }).where('variants_due_at', '>', now).execute()
  })

/** A conditional update, so that only one of several servers makes it. */
const takeFile = ({ engine, clock }: Deps): Promise<FileRow | null> =>
  transaction(engine, async (tx) => {
    const now = clock.now()
    const due = await tx
      .selectFrom('files')
      .select(['key', 'variants_due_at'])
      .where('variants_due_at', '<=', now)
      .where('removed_at', 'is', null)
      .orderBy('variants_due_at')
      .limit(1)
      .executeTakeFirst()
    if (!due) return null
    const taken = await tx
      .updateTable('files')
      .set((field) => ({ variants_due_at: now + LEASE_MS, variants_tried: field('variants_tried', '+', 1) }))
      .where('key', '=', due.key)
      .where('variants_due_at', '=', due.variants_due_at)
      .returningAll()
      .executeTakeFirst()
    return taken ?? null
  })

async function makeAll(deps: Deps, file: FileRow): Promise<void> {
  try {
    const widths = file.variants_tried > MOST_TRIES ? null : await makeVariants(deps, file)
    if (!widths)
      deps.log.warn(
        { file: file.key },
        'a picture has no variants: its file is missing, or making them failed too often',
      )
    const isKept = await noteMade(deps, file, widths ?? [])
    if (!isKept) await clearUp(deps, file.key, widths ?? [])
  } catch (error) {
    if (error instanceof StoreAway || error instanceof AppError) {
      deps.log.warn({ err: error, file: file.key }, 'making variants of a picture failed: trying again later')
      await note(deps.engine, file, { variants_due_at: deps.clock.now() + AGAIN_MS, variants_tried: 0 })
    } else if (imageErrorOf(error) || error instanceof JobKilled) {
      deps.log.warn(
        { err: error, file: file.key },
        'a picture has no variants: it cannot be decoded, or only at too high a cost',
      )
      await note(deps.engine, file, { variants_due_at: null })
    } else throw error
  }
}

/** The widths that were made; null when a file is missing. A composed picture is made before its variants are. */
async function makeVariants(deps: Deps, file: FileRow): Promise<number[] | null> {
  const { decoding, files } = deps
  const width = file.width > 0 ? file.width : await compose(deps, file)
  const source = width === null ? null : await files.borrow(file.key)
  if (!source || width === null) return null
  try {
    const widths = variantWidths(width)
    for (const wanted of widths) {
      const make = (to: string) => decoding.makeVariant({ from: source.path, to, width: wanted })
      await putMade(files, variantKey(file.key, wanted), make)
    }
    return widths
  } finally {
    await source.giveBack()
  }
}

/** Returns the width of the composed picture, or null when a part is missing. */
async function compose({ decoding, engine, files }: Deps, file: FileRow): Promise<number | null> {
  const borrowed = [await borrowPart(files, file.part_a), await borrowPart(files, file.part_b)]
  const [left, right] = borrowed
  try {
    // A poll that moves a picture orders another composed one, so the row is the one that this picture is for.
    const poll = await engine.db
      .selectFrom('polls')
      .select(PLACEMENT)
      .where('image_composed', '=', file.key)
      .executeTakeFirst()
    if (!left || !right || !poll) return null
    const parts = {
      left: { path: left.path, ...placementOf(poll, 'a') },
      right: { path: right.path, ...placementOf(poll, 'b') },
    }
    const make = (to: string) => decoding.compose({ ...parts, to })
    const made = await putMade(files, file.key, make)
    await note(engine, file, { byte_size: made.byteSize, width: made.width, height: made.height })
    return made.width
  } finally {
    for (const part of borrowed) await part?.giveBack()
  }
}

const borrowPart = (files: FileStore, key: string | null) => (key === null ? null : files.borrow(key))

async function putMade<Made>(files: FileStore, key: string, make: (to: string) => Promise<Made>): Promise<Made> {
  const to = files.workspace.newPath()
  try {
    const made = await make(to)
    await files.put(key, to)
    return made
  } finally {
    await files.workspace.discard(to)
  }
}

/** False when the file was removed meanwhile. Only a composed picture comes after the answer that shows its poll, so an event tells. */
const noteMade = (deps: Deps, file: FileRow, widths: readonly number[]): Promise<boolean> =>
  transaction(deps.engine, async (tx) => {
    const isKept = await noteIn(tx, file, { variants_due_at: null, variant_widths: widths.join(' ') })
    const shownBy = isKept ? await pollsThatShow(tx, file.key) : []
    for (const pollKey of shownBy) await deps.changes.poll(tx, pollKey, file.brand_key)
    const told = file.slot === 'composed' && widths.length > 0 ? await pollsByKey(tx, shownBy) : []
    for (const row of told) await emitPoll(deps, tx, { type: 'poll.updated', row, at: deps.clock.now() })
    return isKept
  })

const note = (engine: Engine, file: FileRow, values: Updateable<Tables['files']>): Promise<boolean> =>
  transaction(engine, (tx) => noteIn(tx, file, values))

/** False when the file was removed or taken by another process. */
async function noteIn(
  tx: Tx,
  { key, variants_due_at }: FileRow,
  values: Updateable<Tables['files']>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('files')
    .set(values)
    .where('key', '=', key)
    .where('variants_due_at', '=', variants_due_at)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Removes the copies of a file that was removed meanwhile. */
async function clearUp({ engine, files }: Deps, key: string, widths: readonly number[]): Promise<void> {
  const row = await engine.db.selectFrom('files').select('key').where('key', '=', key).executeTakeFirst()
  if (row) return
  for (const made of [key, ...widths.map((width) => variantKey(key, width))]) await files.remove(made)
}

async function pollsThatShow(db: Db, key: string): Promise<number[]> {
  const isShown = ({ eb, or }: ExpressionBuilder<Tables, 'polls'>) =>
    or([
      eb('image_a', '=', key),
      eb('image_b', '=', key),
      eb('image_combined', '=', key),
      eb('image_composed', '=', key),
    ])
  const rows = await db.selectFrom('polls').select('key').where(isShown).execute()
  return rows.map((row) => row.key)
}

/** The key of a composed picture. Its row is an order for the worker, which adds the size when it is made. */
async function orderComposedPicture(
  deps: WriteDeps,
  tx: Tx,
  { brandKey, partA, partB }: { brandKey: number; partA: string; partB: string },
): Promise<string> {
  const key = fileKey('image/webp')
  const now = deps.clock.now()
  await tx
    .insertInto('files')
    .values({
      key,
      brand_key: brandKey,
      slot: 'composed',
      content_type: 'image/webp',
      byte_size: 0,
      width: 0,
      height: 0,
      created_at: now,
      expires_at: null,
      variants_due_at: now,
      part_a: partA,
      part_b: partB,
    })
    .execute()
  return key
}

/** The keys of the pictures that a poll shows. */
type Pictures = Pick<PollRow, 'image_a' | 'image_b' | 'image_combined' | 'image_composed'>

export const NO_PICTURES: Pictures = { image_a: null, image_b: null, image_combined: null, image_composed: null }

/** The pictures that a poll will show. Two options without a combined picture get a composed one. */
export async function pictureKeys(
  deps: WriteDeps,
  tx: Tx,
  {
    brandKey,
    poll,
    current,
    isPlacedAnew = false,
  }: { brandKey: number; poll: UpdatePoll; current: Pictures; isPlacedAnew?: boolean },
): Promise<Pictures> {
  const { optionA, optionB, images } = poll
  const keyOf = (slot: PollSlot, path: string, url: string | null | undefined) =>
    fileBehind(tx, deps, { path, url, brandKey, slot })
  const partA = kept(await keyOf('optionA', 'optionA.imageUrl', optionA?.imageUrl), current.image_a)
  const partB = kept(await keyOf('optionB', 'optionB.imageUrl', optionB?.imageUrl), current.image_b)
  const combined = kept(await keyOf('combined', 'images.combined', images?.combined), current.image_combined)
  const keys = { image_a: partA, image_b: partB, image_combined: combined }
  if (partA === null || partB === null || combined !== null) return { ...keys, image_composed: null }
  const isSame = !isPlacedAnew && partA === current.image_a && partB === current.image_b
  const composed = isSame ? current.image_composed : null
  return { ...keys, image_composed: composed ?? (await orderComposedPicture(deps, tx, { brandKey, partA, partB })) }
}
