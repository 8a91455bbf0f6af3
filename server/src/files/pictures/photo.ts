import { MOST_PIXELS } from './image.ts'

export interface Box {
  readonly width: number
  readonly height: number
}

/** A picture as a data URL, scaled to fit the box. A PNG, because the renderer of the cards cannot read WebP. */
export async function photoFor({ path, box }: { path: string; box: Box }): Promise<string> {
  const image = new Bun.Image(path, { maxPixels: MOST_PIXELS })
  const { width, height } = await image.metadata()
  const scale = Math.min(1, Math.max(box.width / width, box.height / height))
  const scaled = (length: number) => Math.max(1, Math.round(length * scale))
  const png = await image.resize(scaled(width), scaled(height)).png({ compressionLevel: 1 }).bytes()
  return `data:image/png;base64,${Buffer.from(png).toString('base64')}`
}
