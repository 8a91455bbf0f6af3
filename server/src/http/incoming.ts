/** The other end has closed the connection: there is nobody to answer, and nobody to count. */
export class ClientGone extends Error {}

/** One request as the door sees it: parsed once, handed on unchanged. */
export interface Incoming {
  readonly request: Request
  readonly url: URL
  readonly requestId: string
  /** What stands for the client's network: an IPv4 address or an IPv6 /64. Never stored or logged. */
  readonly network: string
  /** What every answer to this request carries, be it a success or a refusal. */
  readonly answerHeaders: Record<string, string>
}

export const header = (incoming: Incoming, name: string): string | null => incoming.request.headers.get(name)
