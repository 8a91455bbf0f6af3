import { randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { newPlace, type Place, type Serving, serve, tossupJson } from './command.ts'
import type { EngineName } from './engines.ts'
import { eventually } from './eventually.ts'

const LIMITS_OFF = { VOTES_PER_MINUTE: '1000000', NETWORK_VOTES_PER_MINUTE: '0', TOKENS_PER_MINUTE: '1000000' }

export const serveUnlimited = ({ settings }: Place): Promise<Serving> => serve({ ...settings, ...LIMITS_OFF })

/** A server in a process of its own, with one poll: for tests of how it ends. */
export async function serveWithPoll(engine: EngineName): Promise<{ place: Place; server: Serving; poll: string }> {
  const place = await newPlace(engine)
  await tossupJson(['brand', 'create', '--slug', 'acme', '--name', 'Acme'], place.settings)
  const app = await tossupJson(['app', 'create', '--brand', 'acme', '--scopes', 'manage'], place.settings)
  const server = await serveUnlimited(place)
  const poll = await createPoll(server.url, { id: String(app['apiKeyId']), secret: String(app['apiKeySecret']) })
  return { place, server, poll }
}

/** Resolves when the server takes no new requests. */
export async function untilDraining({ url }: Serving): Promise<void> {
  await eventually(async () => (await fetch(`${url}/readyz`)).status === 503)
}

/** One raw connection: for requests in parts and for keep-alive connections. */
export class Caller {
  readonly #socket: Socket
  #received = ''
  #isEnded = false

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1')
    this.#socket.setEncoding('utf8')
    this.#socket.on('data', (text) => {
      this.#received += text
    })
    for (const event of ['end', 'error', 'close']) {
      this.#socket.on(event, () => {
        this.#isEnded = true
      })
    }
  }

  send = (text: string): Promise<void> =>
    new Promise((resolve) => {
      this.#socket.write(text, () => resolve())
    })

  /** The text received since the last call, once it contains a whole answer or the connection has ended. */
  async answer(): Promise<string> {
    await eventually(() => this.#isEnded || /\r\n\r\n.+/s.test(this.#received))
    const received = this.#received
    this.#received = ''
    return received
  }

  close(): void {
    this.#socket.destroy()
  }
}

export const portOf = ({ url }: Serving): number => Number(new URL(url).port)

export const voteHead = (poll: string, device: string, length: number): string =>
  [
    `POST /api/rest/v1/polls/${poll}/votes HTTP/1.1`,
    'Host: x',
    'Content-Type: application/json',
    `Content-Length: ${length}`,
    `X-Device-Id: ${device}`,
    '\r\n',
  ].join('\r\n')

async function createPoll(url: string, key: { id: string; secret: string }): Promise<string> {
  const post = async (path: string, { headers, json }: { headers: Record<string, string>; json: unknown }) => {
    const response = await fetch(`${url}/api/rest/v1/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(json),
    })
    return ((await response.json()) as { data: Record<string, string> }).data
  }
  const tokens = await post('auth/token', {
    headers: { 'X-API-Key-ID': key.id, 'X-API-Key-Secret': key.secret },
    json: { externalDeviceId: 'x' },
  })
  const poll = await post('brands/me/polls', {
    headers: { Authorization: `Bearer ${tokens['accessToken']}`, 'X-Service-Idempotency-Key': randomUUID() },
    json: { title: 'Tea?', optionA: { label: 'Yes' }, optionB: { label: 'No' } },
  })
  return poll['slug'] ?? ''
}
