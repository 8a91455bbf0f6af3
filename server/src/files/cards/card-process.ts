import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { initWasm, Resvg } from '@resvg/resvg-wasm'
import wasm from '@resvg/resvg-wasm/index_bg.wasm' with { type: 'file' }
import { serveJobs } from '../../base/isolation/job.ts'
import type { CardJob } from './card-drawer.ts'
import { shapeTexts } from './shape-text.ts'

/** Messengers leave out pictures of more than some 100 KB. */
const QUALITY = 85

await initWasm(await readFile(resolve(import.meta.dir, wasm)))

/** From texts to outlines, and from an SVG to a JPEG in base64. */
serveJobs((job: CardJob) => ('texts' in job ? shapeTexts(job.texts) : drawn(job.svg)))

async function drawn(svg: string): Promise<string> {
  // All letters are outlines already.
  const image = new Resvg(svg, { font: { loadSystemFonts: false } })
  const picture = image.render()
  const png = picture.asPng()
  picture.free()
  image.free()
  const jpeg = await new Bun.Image(png).jpeg({ quality: QUALITY }).bytes()
  return Buffer.from(jpeg).toString('base64')
}
