/** A part of a string holds the whole of it in memory: what is kept for long is kept as a copy. For well-formed text. */
export const copied = (text: string): string => Buffer.from(text).toString()
