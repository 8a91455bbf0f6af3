import type { OwnTheme, ThemeUpdate, Tossup } from '../../../../sdk/src/index.ts'
import { ASSETS, type AssetName, type ThemeDraft, updateBody } from './theme-draft.ts'

const SLOTS = { logoLightUrl: 'logo_light', logoDarkUrl: 'logo_dark', faviconUrl: 'favicon' } as const
const UPLOAD_MS = 120_000

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
  const uploaded = await Promise.all(
    waiting.map(async ({ name, file }) => [name, await upload(tossup, { name, file, onProgress })] as const),
  )
  const body: ThemeUpdate = { ...updateBody(draft, before), ...Object.fromEntries(uploaded) }
  return tossup.updateTheme(body, { ifMatch: etag })
}

interface Upload extends Pick<Saving, 'onProgress'> {
  readonly name: AssetName
  readonly file: File
}

async function upload(tossup: Tossup, { name, file, onProgress }: Upload): Promise<string> {
  const contentType = file.type as 'image/png' | 'image/svg+xml' | 'image/webp'
  const ticket = await tossup.createThemeAssetTicket({ slot: SLOTS[name], contentType, byteSize: file.size })
  const told = (share: number) => onProgress(name, share)
  return (await tossup.uploadFile(ticket, file, { timeoutMs: UPLOAD_MS, onProgress: told })).publicUrl
}
