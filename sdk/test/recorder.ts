export interface Recorded {
  readonly method: string
  readonly path: string
  readonly headers: Headers
  readonly body: unknown
}

type Answerer = (request: Recorded, index: number) => Response | Promise<Response>

export interface Recorder {
  readonly fetch: typeof fetch
  readonly requests: Recorded[]
}

/** Replaces the network: records requests and answers as configured. */
export function record(answer: Answerer): Recorder {
  const requests: Recorded[] = []
  const send = async (address: string | URL | Request, init: RequestInit = {}) => {
    init.signal?.throwIfAborted()
    const { pathname, search } = new URL(String(address))
    const body = typeof init.body === 'string' ? JSON.parse(init.body) : init.body
    const request = {
      method: init.method ?? 'GET',
      path: pathname + search,
      headers: new Headers(init.headers),
      body,
    }
    requests.push(request)
    return answer(request, requests.length - 1)
  }
  return { fetch: send as typeof fetch, requests }
}

export const ok = (data: unknown, status = 200): Response => Response.json({ data }, { status })

export const failure = (status: number, code: string, headers: Record<string, string> = {}): Response =>
  Response.json({ error: { code, message: code, details: {}, requestId: 'the-request' } }, { status, headers })

/** The error of the work, or null. */
export const caught = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  )
