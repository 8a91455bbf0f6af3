/** The part of XMLHttpRequest that is used: this code is also compiled without the types of browsers. */
interface Xhr {
  readonly upload: { onprogress: ((event: { readonly loaded: number; readonly total: number }) => void) | null }
  readonly status: number
  readonly responseText: string
  onload: (() => void) | null
  onerror: (() => void) | null
  onabort: (() => void) | null
  open(method: string, address: string): void
  setRequestHeader(name: string, value: string): void
  getAllResponseHeaders(): string
  send(body: unknown): void
  abort(): void
}

/** The subset of `fetch` that the client uses. */
type Send = (address: string, request: RequestInit) => Promise<Response>

/** A `fetch` that tells how much of its body is sent, which in browsers only XMLHttpRequest knows; null elsewhere. */
export function fetchWithProgress(onProgress: (share: number) => void): typeof fetch | null {
  const { XMLHttpRequest: Request } = globalThis as { readonly XMLHttpRequest?: new () => Xhr }
  if (!Request) return null
  const send: Send = (address, { method = 'GET', headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const request = new Request()
      request.open(method, address)
      for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value)
      request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total)
      request.onload = () => resolve(answerOf(request))
      request.onerror = () => reject(new TypeError('Failed to send'))
      request.onabort = () => reject(new DOMException('Aborted', 'AbortError'))
      if (signal?.aborted) return void reject(new DOMException('Aborted', 'AbortError'))
      signal?.addEventListener('abort', () => request.abort(), { once: true })
      request.send(body)
    })
  return send as typeof fetch
}

function answerOf(request: Xhr): Response {
  const { status, responseText } = request
  const lines = request.getAllResponseHeaders().trim().split('\r\n')
  const headers = lines.flatMap((line): [string, string][] => {
    const colon = line.indexOf(': ')
    return colon === -1 ? [] : [[line.slice(0, colon), line.slice(colon + 2)]]
  })
  return new Response(status === 204 ? null : responseText, { status, headers })
}
