import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { initWasm, Resvg } from '@resvg/resvg-wasm'
import { FONT_FAMILY, FONT_PATH } from './font.ts'

declare const self: Worker

/** A thread that turns one SVG after the other into a JPEG: messengers leave out pictures of more than some 100 KB. */
const QUALITY = 85

const ready = Promise.all([
  readFile(FONT_PATH),
  readFile(fileURLToPath(import.meta.resolve('@resvg/resvg-wasm/index_bg.wasm'))).then((code) => initWasm(code)),
])

self.onmessage = async ({ data }: MessageEvent<string>) => {
  const [font] = await ready
  const image = new Resvg(data, { font: { fontBuffers: [font], defaultFontFamily: FONT_FAMILY } })
  const drawn = image.render()
  const png = drawn.asPng()
  drawn.free()
  image.free()
  self.postMessage(await new Bun.Image(png).jpeg({ quality: QUALITY }).bytes())
}
