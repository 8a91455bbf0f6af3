/** A longer `Retry-After` than this is not waited for: the vote is kept at once. */
export const PATIENCE_MS = 2_000
/** A vote that still has no place after so many retries is kept in the browser, which sends it again and again. */
export const FIRST_RETRIES = 2
