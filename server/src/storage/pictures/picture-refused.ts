const MESSAGES = {
  wrong_type: 'The bytes are not of the content type that the ticket was asked for.',
  damaged: 'The picture is damaged or not complete.',
  animated: 'A picture here stands still: animations are refused.',
  too_large: 'At most 8,192 pixels a side and 25 million in all.',
} as const

/** A message may name what was refused, and a name can have megabytes. */
const LONGEST_MESSAGE = 200

/** The bytes of an upload are no picture that can be shown. */
export class PictureRefused extends Error {
  readonly code: string

  constructor(code: keyof typeof MESSAGES)
  constructor(code: 'unsafe_svg', message: string)
  constructor(code: keyof typeof MESSAGES | 'unsafe_svg', message?: string) {
    super((message ?? MESSAGES[code as keyof typeof MESSAGES]).slice(0, LONGEST_MESSAGE))
    this.name = 'PictureRefused'
    this.code = code
  }
}
