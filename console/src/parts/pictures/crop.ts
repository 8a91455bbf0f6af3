export interface Size {
  readonly width: number
  readonly height: number
}

/** Which part of a picture is taken. */
export interface Framing {
  /** Width by height of the part. */
  readonly ratio: number
  /** From 1, where the part is as large as possible. */
  readonly zoom: number
  /** From 0, at the start, to 1, at the end. */
  readonly across: number
  readonly down: number
}

export const MIDDLE: Framing = { ratio: 1, zoom: 1, across: 0.5, down: 0.5 }

/** In pixels of the picture. */
export interface Area extends Size {
  readonly left: number
  readonly top: number
}

export function areaOf(picture: Size, { ratio, zoom, across, down }: Framing): Area {
  const isWider = picture.width / picture.height > ratio
  const width = (isWider ? picture.height * ratio : picture.width) / zoom
  const height = (isWider ? picture.height : picture.width / ratio) / zoom
  return { width, height, left: (picture.width - width) * across, top: (picture.height - height) * down }
}

const within = (share: number): number => Math.min(1, Math.max(0, share))

/** The framing after the picture was moved below its frame, by shares of the frame. */
export function moved(
  picture: Size,
  framing: Framing,
  by: { readonly across: number; readonly down: number },
): Framing {
  const { width, height, left, top } = areaOf(picture, framing)
  const room = { across: picture.width - width, down: picture.height - height }
  return {
    ...framing,
    across: room.across === 0 ? framing.across : within((left - by.across * width) / room.across),
    down: room.down === 0 ? framing.down : within((top - by.down * height) / room.down),
  }
}

const QUALITY = 0.92
/** In pixels: Safari on older iPhones draws nothing on a canvas of more than 4096 × 4096. */
const MOST_SIDE = 4_096

/** The pixels that a part is written with. */
function writtenSize({ width, height }: Size): Size {
  const scale = Math.min(1, MOST_SIDE / Math.max(width, height))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** The part as a file of the same type where the browser can write it. */
export async function cropFile(file: File, framing: Framing): Promise<File> {
  const picture = await createImageBitmap(file)
  const { left, top, width, height } = areaOf(picture, framing)
  const canvas = Object.assign(document.createElement('canvas'), writtenSize({ width, height }))
  canvas.getContext('2d')?.drawImage(picture, left, top, width, height, 0, 0, canvas.width, canvas.height)
  picture.close()
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, file.type, QUALITY))
  if (!blob) throw new Error(`${file.name}: this part cannot be written`)
  return new File([blob], file.name, { type: blob.type })
}
