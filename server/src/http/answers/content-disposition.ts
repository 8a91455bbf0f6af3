/** Path separators, characters that file systems refuse, controls, and marks that turn the direction of the name around them. */
const UNSAFE = /[\\/:*?"<>|\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu
/** A file system holds names of 255 bytes, and browsers add a number to a name that is taken. */
const MOST_BYTES = 160

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** The title as part of a file name: whole characters, as many as fit. */
function safeTitle(title: string): string {
  let name = ''
  for (const { segment } of characters.segment(title.replace(UNSAFE, ' ').replace(/\s+/g, ' ').trim())) {
    if (Buffer.byteLength(name) + Buffer.byteLength(segment) > MOST_BYTES) break
    name += segment
  }
  return name.replace(/[. ]+$/, '')
}

/** RFC 8187 allows fewer characters without encoding than `encodeURIComponent` leaves. */
const extended = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

interface FileName {
  /** ASCII, for clients that read no other name. */
  readonly plain: string
  /** Opens the name with the title, such as `voters`. */
  readonly kind: string
  /** Any text; null for a file about nothing with a title. */
  readonly title: string | null
  readonly suffix: string
}

/** RFC 6266: a plain name first, and the name with the title for clients that decode it. */
export function attachment({ plain, kind, title, suffix }: FileName): string {
  const named = `attachment; filename="${plain}.${suffix}"`
  const shown = title === null ? '' : safeTitle(title)
  return shown === '' ? named : `${named}; filename*=UTF-8''${extended(`${kind} - ${shown}.${suffix}`)}`
}
