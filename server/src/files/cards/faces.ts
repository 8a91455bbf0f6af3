import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import manrope from '@expo-google-fonts/manrope/700Bold/Manrope_700Bold.ttf' with { type: 'file' }
import emoji from '@expo-google-fonts/noto-emoji/600SemiBold/NotoEmoji_600SemiBold.ttf' with { type: 'file' }
import sans from '@expo-google-fonts/noto-sans/600SemiBold/NotoSans_600SemiBold.ttf' with { type: 'file' }
import arabic from '@expo-google-fonts/noto-sans-arabic/600SemiBold/NotoSansArabic_600SemiBold.ttf' with {
  type: 'file',
}
import japanese from '@expo-google-fonts/noto-sans-jp/600SemiBold/NotoSansJP_600SemiBold.ttf' with { type: 'file' }
import mono from '@expo-google-fonts/noto-sans-mono/600SemiBold/NotoSansMono_600SemiBold.ttf' with { type: 'file' }
import chinese from '@expo-google-fonts/noto-sans-sc/600SemiBold/NotoSansSC_600SemiBold.ttf' with { type: 'file' }
import serif from '@expo-google-fonts/noto-serif/600SemiBold/NotoSerif_600SemiBold.ttf' with { type: 'file' }
import rounded from '@expo-google-fonts/nunito/700Bold/Nunito_700Bold.ttf' with { type: 'file' }
import { Face, Font, Blob as FontBlob } from 'harfbuzzjs'

/** All of Google Fonts, from npm, under the SIL Open Font License. Noto Sans has Greek, Cyrillic and Devanagari too. */
const FILES = { sans, serif, mono, rounded, manrope, arabic, japanese, chinese, emoji }

export type FaceName = keyof typeof FILES

/** The face of each `fontStack` of a theme. */
export const FACE_OF = {
  SYSTEM: 'sans',
  SERIF: 'serif',
  MONO: 'mono',
  ROUNDED: 'rounded',
  MANROPE: 'manrope',
} as const satisfies Record<string, FaceName>

export interface LoadedFace {
  readonly font: Font
  readonly unitsPerEm: number
  has(codePoint: number): boolean
}

const loaded = new Map<FaceName, LoadedFace>()

/** Reads a face when a text first needs it. There are nine at most, and the process that holds them ends when it is idle. */
export function faceNamed(name: FaceName): LoadedFace {
  const known = loaded.get(name)
  if (known) return known
  const face = new Face(new FontBlob(new Uint8Array(readFileSync(resolve(import.meta.dir, FILES[name])))))
  const covered = new Set(face.collectUnicodes())
  const made = {
    font: new Font(face),
    unitsPerEm: face.upem,
    has: (codePoint: number) => covered.has(codePoint),
  }
  loaded.set(name, made)
  return made
}
