import { prove } from '../../../sdk/src/challenge/prove.ts'
import { solveChallenge } from '../../../sdk/src/challenge/solve-challenge.ts'
import type { Challenge } from '../../../sdk/src/openapi.ts'

// `/embed/solve.js`: loaded when a vote asks for a challenge, by the page and, for the work, by its own worker.

const script = import.meta.url

/** Browsers start workers only from the page's own origin; one made by the page may import from ours. */
const addressOfWorker = (): string =>
  new URL(script).origin === location.origin
    ? script
    : URL.createObjectURL(new Blob([`import ${JSON.stringify(script)}`], { type: 'text/javascript' }))

function solveInWorker(challenge: Challenge): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(addressOfWorker(), { type: 'module' })
    worker.onmessage = ({ data }: MessageEvent<string | null>) => {
      worker.terminate()
      resolve(data)
    }
    worker.onerror = () => {
      worker.terminate()
      reject(new Error('the worker did not start'))
    }
    worker.postMessage(challenge)
  })
}

/** A page's own policy may forbid workers: then this thread solves it, in slices. */
const solve = (challenge: Challenge): Promise<string | null> =>
  solveInWorker(challenge).catch(() => solveChallenge(challenge))

/** Sends a refused vote again with the solution of its challenge. */
export const again = (refused: Response, url: string, init: RequestInit): Promise<Response> =>
  prove(refused, { init, solve, send: (changed) => fetch(url, changed) })

if (!('document' in globalThis)) {
  addEventListener('message', async ({ data }: MessageEvent<Challenge>) => postMessage(await solveChallenge(data)))
}
