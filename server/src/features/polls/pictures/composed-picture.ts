import type { Tx } from '../../../db/store.ts'
import { fileKey } from '../../../files/file-keys.ts'
import type { WriteDeps } from '../../deps.ts'

interface Parts {
  readonly brandKey: number
  readonly partA: string
  readonly partB: string
}

/** The key of a composed picture. Its row is an order for the worker, which adds the size when it is made. */
export async function orderComposedPicture(
  deps: WriteDeps,
  tx: Tx,
  { brandKey, partA, partB }: Parts,
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
