import type { Challenge } from '../openapi.ts'
import { sha256 } from './sha256.ts'

/** Then the page gets a turn: a slow phone takes 30 ms for so many. */
const NUMBERS_IN_A_SLICE = 2_000

/** The header `X-Challenge-Solution`, Base64 of JSON as ALTCHA makes it. Null if there is no solution. */
export async function solveChallenge(
  { maxnumber, ...asked }: Challenge,
  signal?: AbortSignal | null,
): Promise<string | null> {
  // The first 32 bits tell it from all others that are tried, but once in ten thousand challenges: then another is asked for.
  const wanted = Number.parseInt(asked.challenge.slice(0, 8), 16) | 0
  for (let number = 0; number <= maxnumber; number++) {
    if (sha256(asked.salt + number)[0] === wanted) return btoa(JSON.stringify({ ...asked, number }))
    if (number % NUMBERS_IN_A_SLICE === 0) {
      await new Promise((resolve) => setTimeout(resolve))
      signal?.throwIfAborted()
    }
  }
  return null
}
