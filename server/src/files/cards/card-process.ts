import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { initWasm, Resvg } from '@resvg/resvg-wasm'
import wasm from '@resvg/resvg-wasm/index_bg.wasm' with { type: 'file' }
import { serveJobs } from '../../base/isolation/job.ts'
import type { CardJob, PictureType } from './card-drawer.ts'
import { shapeTexts } from './shape-text.ts'

/** Messengers leave out pictures of more than some 100 KB. */
const QUALITY = 85

await initWasm(await readFile(resolve(import.meta.dir, wasm)))

/** From texts to outlines, and from an SVG to a picture in base64. */
await serveJobs((job: CardJob) => ('texts' in job ? shapeTexts(job.texts) : drawn(job.svg, job.type)))

async function drawn(svg: string, type: PictureType): Promise<string> {
  // All letters are outlines already.
  const image = new Resvg(svg, { font: { loadSystemFonts: false } })
  const picture = image.render()
  const png = picture.asPng()
  picture.free()
  image.free()
  const bytes = type === 'png' ? png : await new Bun.Image(png).jpeg({ quality: QUALITY }).bytes()
  return Buffer.from(bytes).toString('base64')
}
