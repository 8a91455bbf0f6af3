import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// From hb-subset.h.
const NO_HINTING = 0x1
const NOTDEF_OUTLINE = 0x40
const DROPPED_TABLES = 3
const LAYOUT_FEATURES = 6
const WRITABLE = 2

/** Only vertical text needs them. */
const VERTICAL_TABLES = ['vhea', 'vmtx', 'VORG']
const VERTICAL_FEATURES = ['vert', 'vrt2', 'vkrn', 'valt', 'vpal', 'vhal']

type HarfBuzz = Readonly<Record<string, (...args: number[]) => number>> & { readonly memory: WebAssembly.Memory }

const wasm = fileURLToPath(import.meta.resolve('harfbuzzjs/dist/harfbuzz-subset.wasm'))
const harfbuzz = new WebAssembly.Module(readFileSync(wasm))

const tagOf = (name: string): number => [...name].reduce((sum, letter) => sum * 256 + letter.charCodeAt(0), 0)

/** The font with the glyphs of these code points and all that shape them, as a TrueType file without hints. */
export function subsetFont(font: Uint8Array, codePoints: Iterable<number>): Uint8Array {
  // An instance for each font, because nothing that it allocates is freed.
  const { memory, ...calls } = new WebAssembly.Instance(harfbuzz).exports as unknown as HarfBuzz
  const call = (name: string, ...args: number[]): number => {
    const made = calls[name]?.(...args)
    if (made === undefined && name.startsWith('hb_set_')) return 0
    if (!made) throw new Error(`${name} failed`)
    return made
  }
  calls['_initialize']?.()
  const bytes = call('malloc', font.length)
  new Uint8Array(memory.buffer).set(font, bytes)
  const face = call('hb_face_create', call('hb_blob_create', bytes, font.length, WRITABLE, 0, 0), 0)
  const input = call('hb_subset_input_create_or_fail')
  calls['hb_subset_input_set_flags']?.(input, NO_HINTING | NOTDEF_OUTLINE)
  const kept = call('hb_subset_input_unicode_set', input)
  for (const codePoint of codePoints) call('hb_set_add', kept, codePoint)
  const dropped = call('hb_subset_input_set', input, DROPPED_TABLES)
  for (const table of VERTICAL_TABLES) call('hb_set_add', dropped, tagOf(table))
  const features = call('hb_subset_input_set', input, LAYOUT_FEATURES)
  for (const feature of VERTICAL_FEATURES) call('hb_set_del', features, tagOf(feature))
  const made = call('hb_face_reference_blob', call('hb_subset_or_fail', face, input))
  const start = call('hb_blob_get_data', made, 0)
  return new Uint8Array(memory.buffer).slice(start, start + call('hb_blob_get_length', made))
}
