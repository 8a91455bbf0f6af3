import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { Face, Font, Blob as FontBlob } from 'harfbuzzjs'
import manrope from '../../../fonts/manrope.ttf.br' with { type: 'file' }
import emoji from '../../../fonts/noto-emoji.ttf.br' with { type: 'file' }
import sans from '../../../fonts/noto-sans.ttf.br' with { type: 'file' }
import arabic from '../../../fonts/noto-sans-arabic.ttf.br' with { type: 'file' }
import japanese from '../../../fonts/noto-sans-jp.ttf.br' with { type: 'file' }
import mono from '../../../fonts/noto-sans-mono.ttf.br' with { type: 'file' }
import chinese from '../../../fonts/noto-sans-sc.ttf.br' with { type: 'file' }
import serif from '../../../fonts/noto-serif.ttf.br' with { type: 'file' }
import rounded from '../../../fonts/nunito.ttf.br' with { type: 'file' }

/** Subsets that `npm run build:fonts` makes of Google Fonts. Noto Sans has Greek, Cyrillic and Devanagari too. */
const FILES = { sans, serif, mono, rounded, manrope, arabic, japanese, chinese, emoji }

export type FaceName = keyof typeof FILES

/** The face of each `fontStack` of a theme. */
export const FACE_OF = {
  SYSTEM: 'sans',
  SERIF: 'serif',
  MONO: 'mono',
  ROUNDED: 'rounded',
  MANROPE: 'manrope',
  INHERIT: 'sans',
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
  const bytes = brotliDecompressSync(readFileSync(resolve(import.meta.dir, FILES[name])))
  const face = new Face(new FontBlob(new Uint8Array(bytes)))
  const covered = new Set(face.collectUnicodes())
  const made = {
    font: new Font(face),
    unitsPerEm: face.upem,
    has: (codePoint: number) => covered.has(codePoint),
  }
  loaded.set(name, made)
  return made
}
