import { kept } from '../../base/fields.ts'
import type { Tx } from '../../db/store.ts'
import type { UpdatePoll } from '../../events/resources/poll.ts'
import { fileKey } from '../../files/file-keys.ts'
import type { WriteDeps } from '../deps.ts'
import { fileBehind, type PollSlot } from '../uploads/files.ts'
import type { PollRow } from './queries.ts'

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
