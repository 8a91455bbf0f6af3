import type { ContentType } from '../../files/file-keys.ts'
import type { Deps } from '../deps.ts'

export const POLL_SLOTS = ['optionA', 'optionB', 'combined'] as const
export const ASSET_SLOTS = ['logo_light', 'logo_dark', 'favicon'] as const

export type PollSlot = (typeof POLL_SLOTS)[number]
type AssetSlot = (typeof ASSET_SLOTS)[number]
/** The purpose of an uploaded file, and the only one it can be used for. */
export type UploadSlot = PollSlot | AssetSlot

export const POLL_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const satisfies ContentType[]
export const ASSET_TYPES = ['image/png', 'image/svg+xml', 'image/webp'] as const satisfies ContentType[]
export const FAVICON_TYPES: readonly string[] = ['image/png', 'image/svg+xml']

export const isPollSlot = (slot: string): boolean => POLL_SLOTS.some((known) => known === slot)

/** Where everybody can read the file with this key. */
export const publicUrl = ({ config }: Pick<Deps, 'config'>, key: string): string =>
  `${config.filesUrl ?? `${config.publicUrl}/files`}/${key}`
