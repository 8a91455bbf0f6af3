import type { Challenge } from '../openapi.ts'
import { solveChallenge } from './solve-challenge.ts'

type Fetch = typeof globalThis.fetch

/** A challenge may end while it is solved, or a harder one be asked for. */
const MOST_CHALLENGES = 3

interface Asking {
  readonly error: { readonly details: { readonly challenge: Challenge } }
}

interface Proving {
  readonly init: RequestInit | undefined
  readonly send: (init: RequestInit) => Promise<Response>
  /** Null if it has no solution. */
  readonly solve: (challenge: Challenge) => Promise<string | null>
}

/** Where the answer asks for a challenge, solves it and sends the request again. Returns the last answer. */
export async function prove(response: Response, proving: Proving, left = MOST_CHALLENGES): Promise<Response> {
  if (response.status !== 403 || !left) return response
  const { init, send, solve } = proving
  const challenge = await challengeOf(response.clone() as Response)
  const solution = challenge && (await solve(challenge))
  if (!solution) return response
  const headers = { ...init?.headers, 'X-Challenge-Solution': solution }
  return prove(await send({ ...init, headers }), proving, left - 1)
}

/** Other refusals have none, and those of a proxy are no JSON. */
const challengeOf = (response: Response): Promise<Challenge | null> =>
  (response.json() as Promise<Asking>).then(({ error }) => error.details.challenge).catch(() => null)

/** A `fetch` that solves challenges in this thread. */
export const provingFetch = (fetch: Fetch = globalThis.fetch): Fetch =>
  (async (url, init) =>
    prove(await fetch(url, init), {
      init,
      send: (changed) => fetch(url, changed),
      solve: (challenge) => solveChallenge(challenge, init?.signal),
    })) as Fetch
