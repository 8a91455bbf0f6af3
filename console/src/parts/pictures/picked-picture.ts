/** A picture in a form: stored, waiting for its upload, or none. */
export type PickedPicture = {
  readonly url: string
  readonly file: File | null
  /** The uncropped file that `file` was cropped from, for another crop. */
  readonly whole?: File
} | null

export const pickedPicture = (file: File, whole: File = file): PickedPicture => ({
  url: URL.createObjectURL(file),
  file,
  whole,
})

/** The share of an upload that is sent, by the name of its field. */
export type Uploads<Name extends string> = Readonly<Partial<Record<Name, number>>>
