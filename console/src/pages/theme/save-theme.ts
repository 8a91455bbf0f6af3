import type { OwnTheme, ThemeUpdate, Tossup } from '../../../../sdk/src/index.ts'
import { uploadAll } from '../../parts/pictures/upload-all.ts'
import { ASSETS, type AssetName, type ThemeDraft, updateBody } from './theme-draft.ts'

const SLOTS = { logoLightUrl: 'logo_light', logoDarkUrl: 'logo_dark', faviconUrl: 'favicon' } as const

interface Saving {
  readonly tossup: Tossup
  readonly draft: ThemeDraft
  readonly before: OwnTheme
  readonly etag: string | undefined
  readonly onProgress: (name: AssetName, share: number) => void
}

/** Uploads the new pictures, then changes everything at once. A refused theme leaves uploads behind, which the service removes. */
export async function saveTheme({ tossup, draft, before, etag, onProgress }: Saving): Promise<OwnTheme> {
  const waiting = ASSETS.flatMap((name) => {
    const file = draft[name]?.file
    return file ? [{ name, file }] : []
  })
  const uploaded = await uploadAll({
    tossup,
    files: waiting,
    ticketOf(name, { type, size: byteSize }, signal) {
      const contentType = type as 'image/png' | 'image/svg+xml' | 'image/webp'
      return tossup.createThemeAssetTicket({ slot: SLOTS[name], contentType, byteSize }, { signal })
    },
    onProgress,
  })
  const body: ThemeUpdate = { ...updateBody(draft, before), ...Object.fromEntries(uploaded) }
  return tossup.updateTheme(body, { ifMatch: etag })
}
