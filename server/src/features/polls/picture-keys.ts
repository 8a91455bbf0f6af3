import { invalidField } from '../../base/errors.ts'
import type { Tx } from '../../db/store.ts'
import { fileKey } from '../../files/file-keys.ts'
import type { WriteDeps } from '../deps.ts'
import { fileBehind } from '../uploads/kept-files.ts'
import type { PollSlot } from '../uploads/public-url.ts'

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

interface Given {
  readonly url: string | null | undefined
  /** The present keys, kept where the patch names none. */
  readonly current: string | null
}

interface Pictures extends Readonly<Record<PollSlot, Given>> {
  /** The composed picture of both options. */
  readonly composed: string | null
}

const PATHS: Record<PollSlot, string> = {
  optionA: 'optionA.imageUrl',
  optionB: 'optionB.imageUrl',
  combined: 'images.combined',
}

/** The pictures that a poll will show. Two options without a combined picture get a composed one. */
export async function pictureKeys(deps: WriteDeps, tx: Tx, { brandKey, given }: { brandKey: number; given: Pictures }) {
  const pick = (slot: PollSlot) => pictureKey(deps, tx, { brandKey, slot, ...given[slot] })
  const [partA, partB, combined] = [await pick('optionA'), await pick('optionB'), await pick('combined')]
  const keys = { image_a: partA, image_b: partB, image_combined: combined }
  if (partA === null || partB === null || combined !== null) return { ...keys, image_composed: null }
  const isSame = partA === given.optionA.current && partB === given.optionB.current
  const composed = isSame ? given.composed : null
  return { ...keys, image_composed: composed ?? (await orderComposedPicture(deps, tx, { brandKey, partA, partB })) }
}

interface GivenSlot extends Given {
  readonly brandKey: number
  readonly slot: PollSlot
}

/** Only a file that this brand uploaded for this slot is accepted. */
async function pictureKey(
  deps: WriteDeps,
  tx: Tx,
  { brandKey, slot, url, current }: GivenSlot,
): Promise<string | null> {
  if (url === undefined) return current
  if (url === null) return null
  const key = await fileBehind(tx, deps, { url, brandKey, slot })
  if (key === null) {
    throw invalidField(PATHS[slot], 'unknown_file', `Must be the publicUrl of an upload by this brand for ${slot}.`)
  }
  return key
}
