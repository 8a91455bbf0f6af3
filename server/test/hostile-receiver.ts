import { createServer, type Socket } from 'node:net'

/** A program: receivers of webhooks that answer without end. Prints their ports as one line of JSON. */

const OK = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`
const AT_ONCE_BYTES = 16_384
/** Real time: slow answers, within the short timeout of the tests. */
const SLOW_MS = 50

const filled = (part: string): string => part.repeat(Math.ceil(AT_ONCE_BYTES / part.length))

/** Begins with the first text, and then sends the second again and again, as fast as it is read. */
const endless =
  (first: string, part: string) =>
  (socket: Socket): void => {
    const bytes = Buffer.from(part)
    const send = () => {
      while (!socket.destroyed && socket.write(bytes));
    }
    socket.on('drain', send)
    socket.write(first)
    send()
  }

/** One piece after the other, each in its own segment. */
const pieces =
  (first: string, part: string, everyMs: number) =>
  (socket: Socket): void => {
    socket.write(first)
    const timer = setInterval(() => socket.write(part), everyMs)
    socket.on('close', () => clearInterval(timer))
  }

export const HOSTILE = {
  continue: endless('', filled('HTTP/1.1 100 Continue\r\n\r\n')),
  'early hints': endless('', filled('HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n')),
  headers: endless(OK, filled('X-A: b\r\n')),
  'one header': endless(`${OK}X-A: `, filled('b')),
  'one status line': endless('HTTP/1.1 200 ', filled('b')),
  'folded header': endless(`${OK}X-A: b`, filled('\r\n b')),
  body: endless(`${OK}\r\n`, filled('b')),
  'chunk extensions': endless(CHUNKED, filled('5;a=b;')),
  'tiny chunks': endless(CHUNKED, filled('1\r\nx\r\n')),
  trailers: endless(`${CHUNKED}0\r\n`, filled('X-A: b\r\n')),
  'pieces of a head': pieces(OK, 'X', 1),
  'pieces of a body': pieces(`${OK}\r\n`, 'b', 1),
  'slow continue': pieces('', 'HTTP/1.1 100 Continue\r\n\r\n', SLOW_MS),
  'slow headers': pieces(OK, 'X-A: b\r\n', SLOW_MS),
  'slow bytes': pieces('', 'H', SLOW_MS),
  'slow body': pieces(`${OK}\r\n`, 'b', SLOW_MS),
  silence: () => undefined,
  honest: (socket: Socket) => void socket.end(`${OK}Content-Length: 2\r\n\r\nok`),
} satisfies Record<string, (socket: Socket) => void>

export type Hostility = keyof typeof HOSTILE

export type Ports = Record<Hostility, number>

if (import.meta.main) {
  const opened = Object.entries(HOSTILE).map(async ([name, answer]) => {
    const server = createServer({ noDelay: true }, (socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => answer(socket))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return [name, (server.address() as { port: number }).port] as const
  })
  process.stdout.write(`${JSON.stringify(Object.fromEntries(await Promise.all(opened)))}\n`)
}
