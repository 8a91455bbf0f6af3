export interface Size {
  readonly width: number
  readonly height: number
}

/** A place in a picture, each from 0 to 1. */
export interface Point {
  readonly x: number
  readonly y: number
}

export const MIDDLE: Point = { x: 0.5, y: 0.5 }

/** Which part of a picture is kept: all of it at a zoom of 1. */
export interface Framing {
  readonly zoom: number
  /** The point that stays in view, in the whole picture. */
  readonly point: Point
}

/** In pixels of the picture. */
interface Area extends Size {
  readonly left: number
  readonly top: number
}

const within = (share: number): number => Math.min(1, Math.max(0, share))

/** A hundredth of the picture is as precise as a hand. */
const rounded = (share: number): number => Math.round(100 * within(share)) / 100

export const pointAt = (x: number, y: number): Point => ({ x: rounded(x), y: rounded(y) })

/** The kept part has the shape of the picture, and the point in its middle where the picture reaches so far. */
export function areaOf(picture: Size, { zoom, point }: Framing): Area {
  const [width, height] = [picture.width / zoom, picture.height / zoom]
  const start = (whole: number, part: number, share: number) =>
    Math.min(whole - part, Math.max(0, whole * share - part / 2))
  return {
    width,
    height,
    left: start(picture.width, width, point.x),
    top: start(picture.height, height, point.y),
  }
}

/** The same point in the kept part. */
export function pointIn(picture: Size, framing: Framing): Point {
  const { left, top, width, height } = areaOf(picture, framing)
  const { x, y } = framing.point
  return pointAt((x * picture.width - left) / width, (y * picture.height - top) / height)
}

/** Cards show the point to a twentieth. */
const STEP = 0.05
const LARGE_STEP = 0.2

const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/** Where a key moves the point, in directions of the screen; null for a key that does not move it. */
export function movedBy({ x, y }: Point, { key, shiftKey }: { readonly key: string; readonly shiftKey: boolean }) {
  if (key === 'Home') return MIDDLE
  const direction = STEPS[key]
  if (!direction) return null
  const step = shiftKey ? LARGE_STEP : STEP
  return pointAt(x + direction[0] * step, y + direction[1] * step)
}

const QUALITY = 0.92
/** In pixels: Safari on older iPhones draws nothing on a canvas of more than 4096 × 4096. */
const MOST_SIDE = 4_096

/** The pixels that a part is written with. */
function writtenSize({ width, height }: Size, mostSide: number): Size {
  const scale = Math.min(1, mostSide / Math.max(width, height))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** The kept part as a file of the same type where the browser can write it. */
export async function cropFile(file: File, framing: Framing, mostSide = MOST_SIDE): Promise<File> {
  const picture = await createImageBitmap(file)
  const { left, top, width, height } = areaOf(picture, framing)
  const canvas = Object.assign(document.createElement('canvas'), writtenSize({ width, height }, mostSide))
  canvas.getContext('2d')?.drawImage(picture, left, top, width, height, 0, 0, canvas.width, canvas.height)
  picture.close()
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, file.type, QUALITY))
  if (!blob) throw new Error(`${file.name}: this part cannot be written`)
  return new File([blob], file.name, { type: blob.type })
}
