import { throwStoreAway } from '../file-store.ts'

export const MOST_PIXELS = 25_000_000

export const imageErrorOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_IMAGE_') ? String(error.code) : null

/** From file to file, past our own memory. What is no fault of the picture is one of the disk. */
export async function writeImage(image: Bun.Image, to: string): Promise<number> {
  try {
    return await image.write(to)
  } catch (error) {
    if (imageErrorOf(error)) throw error
    return throwStoreAway(error)
  }
}
