import type { BrandProfile, Tossup } from '../../../../sdk/src/index.ts'
import { cropFile, MIDDLE } from '../../parts/pictures/crop.ts'
import type { PickedPicture } from '../../parts/pictures/picked-picture.ts'
import { uploadAll } from '../../parts/pictures/upload-all.ts'

const TEXTS = ['displayName', 'description', 'locationCity', 'locationState'] as const

/** The profile as it stands in the form: an empty text is none. */
export type ProfileDraft = Readonly<Record<'name' | (typeof TEXTS)[number], string>> & {
  readonly avatar: PickedPicture
}

export const draftOf = (profile: BrandProfile): ProfileDraft => ({
  name: profile.name,
  displayName: profile.displayName ?? '',
  description: profile.description ?? '',
  locationCity: profile.locationCity ?? '',
  locationState: profile.locationState ?? '',
  avatar: profile.avatarUrl === null ? null : { url: profile.avatarUrl, file: null },
})

const fieldsOf = (draft: ProfileDraft) => ({
  name: draft.name.trim(),
  displayName: draft.displayName.trim() || null,
  description: draft.description.trim() || null,
  locationCity: draft.locationCity.trim() || null,
  locationState: draft.locationState.trim() || null,
})

/** The profile as the draft would have it. */
export const shownProfile = (draft: ProfileDraft, before: BrandProfile): BrandProfile => ({
  ...before,
  ...fieldsOf(draft),
  avatarUrl: draft.avatar?.url ?? null,
})

/** Pages show it in 72 pixels, of which a dense screen has 216. */
const MOST_SIDE = 512

/** Small, and of a type that the service takes for a logo. */
const written = (file: File): File | Promise<File> =>
  file.type === 'image/svg+xml'
    ? file
    : cropFile(new File([file], file.name, { type: 'image/webp' }), { zoom: 1, point: MIDDLE }, MOST_SIDE)

interface Saving {
  readonly tossup: Tossup
  readonly draft: ProfileDraft
  readonly etag: string
  readonly onProgress: (share: number) => void
}

/** Uploads a new picture as a logo is, then changes everything at once. */
export async function saveProfile({ tossup, draft, etag, onProgress }: Saving): Promise<BrandProfile> {
  const { avatar } = draft
  const [uploaded] = await uploadAll({
    tossup,
    files: avatar?.file ? [{ name: 'avatarUrl' as const, file: await written(avatar.file) }] : [],
    ticketOf(_, { type, size: byteSize }, signal) {
      const contentType = type as 'image/png' | 'image/svg+xml' | 'image/webp'
      return tossup.createThemeAssetTicket({ slot: 'logo_light', contentType, byteSize }, { signal })
    },
    onProgress: (_, share) => onProgress(share),
  })
  const avatarUrl = uploaded?.[1] ?? avatar?.url ?? null
  return tossup.updateBrand({ ...fieldsOf(draft), avatarUrl }, { ifMatch: etag })
}
