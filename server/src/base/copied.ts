/** A substring keeps its parent alive, so strings that are kept for long are copied. For well-formed text only. */
export const copied = (text: string): string => Buffer.from(text).toString()
