import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { Face, Font, Blob as FontBlob } from 'harfbuzzjs'
import sources from '../../fonts/sources.json' with { type: 'json' }
import { HAN, KANA } from '../../src/files/cards/text-lines.ts'
import { subsetFont } from './subset-font.ts'

interface Source {
  readonly name: string
  readonly bytes: Uint8Array
  readonly font: Font
  readonly codePoints: ReadonlySet<number>
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index)
const VARIATION_SELECTORS = [...range(0xfe00, 0xfe0f), ...range(0xe0100, 0xe01ef)]
/** `plainText` of text-lines.ts removes them. */
const NEVER_WRITTEN = /(?![ \u200c\u200d])[\p{Cc}\p{Z}\p{Cf}\p{Co}\p{Cn}]/u
const IDEOGRAPH = /\p{Script=Han}/u
const MARK = /\p{M}/u
const ARABIC_OR_MARK = /[\p{Script=Arabic}\p{M}\u0600-\u06ff]/u

/** Writes the faces of share cards, as `sources.json` names them: each with the characters for which cards choose it. */
export async function buildFonts(out: string): Promise<{ path: string; bytes: number }> {
  const place = mkdtempSync(join(tmpdir(), 'tossup-fonts-'))
  try {
    const all = new Map(sources.map((each) => [each.name, read(place, each)]))
    let bytes = 0
    for (const source of all.values()) {
      const made = compressed(subsetFont(source.bytes, [...keptOf(source, all), ...VARIATION_SELECTORS]))
      writeFileSync(join(out, `${source.name}.ttf.br`), made)
      bytes += made.length
    }
    writeFileSync(join(out, 'OFL.txt'), licenceOf(place))
    return { path: out, bytes }
  } finally {
    rmSync(place, { recursive: true })
  }
}

function read(place: string, { name, package: from, version, file }: (typeof sources)[number]): Source {
  run(['npm', 'pack', `${from}@${version}`, '--pack-destination', place], place)
  const tarball = readdirSync(place).find((each) => each.endsWith(`-${name}-${version}.tgz`))
  if (!tarball) throw new Error(`npm packed no ${name}`)
  const bytes = new Uint8Array(run(['tar', '-xzOf', tarball, `package/${file}`], place))
  writeFileSync(join(place, `${name}.licence`), run(['tar', '-xzOf', tarball, 'package/LICENSE_FONT'], place))
  const face = new Face(new FontBlob(bytes))
  return { name, bytes, font: new Font(face), codePoints: new Set(face.collectUnicodes()) }
}

function keptOf(source: Source, all: ReadonlyMap<string, Source>): number[] {
  const kept = [...source.codePoints].filter((codePoint) => !NEVER_WRITTEN.test(String.fromCodePoint(codePoint)))
  const chosen = CHOSEN[source.name]
  return chosen ? kept.filter((codePoint) => chosen(String.fromCodePoint(codePoint), codePoint, all)) : kept
}

type Choice = (letter: string, codePoint: number, all: ReadonlyMap<string, Source>) => boolean

const isStable = (letter: string): boolean => letter.normalize('NFC') === letter

/** Faces that cards choose by the script of a character. The others are chosen for all that they have. */
const CHOSEN: Readonly<Record<string, Choice>> = {
  'noto-sans-arabic': (letter) => ARABIC_OR_MARK.test(letter),
  // A text with kana is written in the Japanese face.
  'noto-sans-sc': (letter) => (HAN.test(letter) || MARK.test(letter)) && !KANA.test(letter) && isStable(letter),
  'noto-sans-jp': (letter, codePoint, all) =>
    (HAN.test(letter) || MARK.test(letter)) && isStable(letter) && !isWrittenAlike(codePoint, all),
}

/** Whether the Chinese face, which stands behind the Japanese one, has the same outline. */
function isWrittenAlike(codePoint: number, all: ReadonlyMap<string, Source>): boolean {
  const japanese = all.get('noto-sans-jp')?.font
  const chinese = all.get('noto-sans-sc')
  // Kana and punctuation are kerned, so they stay in one face.
  const isKerned = !IDEOGRAPH.test(String.fromCodePoint(codePoint))
  if (isKerned || !japanese || !chinese?.codePoints.has(codePoint)) return false
  const [glyph, other] = [japanese, chinese.font].map((font) => font.nominalGlyph(codePoint) ?? 0)
  if (glyph === undefined || other === undefined) return false
  const hasVariants = VARIATION_SELECTORS.some((selector) => {
    const variant = japanese.variationGlyph(codePoint, selector)
    return variant !== undefined && variant !== glyph
  })
  const isSame =
    japanese.glyphToPath(glyph) === chinese.font.glyphToPath(other) &&
    japanese.glyphHAdvance(glyph) === chinese.font.glyphHAdvance(other)
  return isSame && !hasVariants
}

/** Brotli, because Bun and Node read it without a package. */
const compressed = (font: Uint8Array): Uint8Array =>
  brotliCompressSync(font, {
    params: { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: font.length },
  })

/** The copyrights of all fonts above the one text of their license. */
function licenceOf(place: string): string {
  const texts = sources.map(({ name }) => readFileSync(join(place, `${name}.licence`), 'utf8'))
  const copyrights = new Set(texts.map((text) => text.slice(0, text.indexOf('\n'))))
  const [terms, ...others] = new Set(texts.map((text) => text.slice(text.indexOf('\n')).replace('http://', 'https://')))
  if (!terms || others.length > 0) throw new Error('the licenses of the fonts differ in more than their copyright')
  return `${[...copyrights].join('\n')}${terms.trimEnd()}\n`
}

function run([command = '', ...args]: string[], cwd: string): Buffer {
  return execFileSync(command, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 64 * 1024 ** 2 })
}
