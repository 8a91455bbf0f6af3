import { invalidField } from '../../base/errors.ts'
import type { Tx } from '../../db/store.ts'
import type { Deps } from '../../deps.ts'
import { fileBehind, type PollSlot } from '../uploads/files.ts'

interface Wanted {
  readonly brandKey: number
  readonly slot: PollSlot
  readonly path: string
  readonly url: string | null | undefined
  /** What stands there now, kept where nothing is said. */
  readonly current: string | null
}

/** Only a file that this brand uploaded for this very slot can be shown there. */
export async function pictureKey(
  deps: Deps,
  tx: Tx,
  { brandKey, slot, path, url, current }: Wanted,
): Promise<string | null> {
  if (url === undefined) return current
  if (url === null) return null
  const key = await fileBehind(tx, deps, { url, brandKey, slot })
  if (key === null) throw invalidField(path, 'unknown_file', `Not the publicUrl of an upload of yours for ${slot}.`)
  return key
}
