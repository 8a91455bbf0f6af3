import type { Framing } from './crop.ts'

/** A picture in a form: stored, waiting for its upload, or none. */
export type PickedPicture = {
  readonly url: string
  readonly file: File | null
  /** How `file` was taken out of a whole picture, for another crop. */
  readonly crop?: { readonly whole: File; readonly framing: Framing }
} | null

export const pickedPicture = (file: File): NonNullable<PickedPicture> => ({ url: URL.createObjectURL(file), file })

/** The share of an upload that is sent, by the name of its field. */
export type Uploads<Name extends string> = Readonly<Partial<Record<Name, number>>>
