import { SMTPServer } from 'smtp-server'
import { eventually } from './eventually.ts'

/** A received mail, of which the parts are decoded as a mail program does. */
export class ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  readonly #source: string

  constructor(parts: { from: string; to: readonly string[]; source: string }) {
    this.from = parts.from
    this.to = parts.to
    this.#source = parts.source
  }

  /** The decoded value of a header of the mail. */
  header(name: string): string {
    const [head = ''] = this.#source.split('\r\n\r\n', 1)
    const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n')
    const found = lines.filter((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`))
    if (found.length !== 1) throw new Error(`${found.length} headers ${name}`)
    return decodedWords((found[0] ?? '').slice(name.length + 1).trim())
  }

  text = (): string => this.#part('text/plain')

  html = (): string => this.#part('text/html')

  /** The addresses in both parts. */
  links = (): string[] => `${this.text()} ${this.html()}`.match(/https?:\/\/[^\s"<]+/g) ?? []

  #part(type: string): string {
    const [, boundary = ''] = /boundary="([^"]+)"/.exec(this.#source) ?? []
    const part = this.#source.split(`--${boundary}`).find((text) => text.includes(`Content-Type: ${type}`)) ?? ''
    const [head = '', ...body] = part.split('\r\n\r\n')
    return decodedBody(head, body.join('\r\n\r\n').trimEnd())
  }
}

function decodedBody(head: string, body: string): string {
  if (/base64/i.test(head)) return Buffer.from(body, 'base64').toString('utf8')
  if (!/quoted-printable/i.test(head)) return body
  return quotedPrintable(body.replace(/=\r\n/g, ''))
}

const quotedPrintable = (text: string): string =>
  Buffer.from(
    text.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8')

/** RFC 2047. */
const decodedWords = (text: string): string =>
  text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([BQ])\?([^?]*)\?=/gi, (_, coding: string, word: string) =>
      coding.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64').toString('utf8')
        : quotedPrintable(word.replaceAll('_', ' ')),
    )

/** A mail server that keeps what it receives. */
export class MailBox {
  readonly mails: ReceivedMail[] = []
  readonly #refused = new Map<string, number>()
  readonly #server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, done) => {
      const responseCode = this.#refused.get(address)
      done(responseCode === undefined ? null : Object.assign(new Error(`nobody is ${address}`), { responseCode }))
    },
    onData: (stream, { envelope }, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const from = envelope.mailFrom ? envelope.mailFrom.address : ''
        const to = envelope.rcptTo.map(({ address }) => address)
        this.mails.push(new ReceivedMail({ from, to, source: Buffer.concat(chunks).toString('utf8') }))
        done()
      })
    },
  })
  #url = ''

  get url(): string {
    return this.#url
  }

  async open(): Promise<void> {
    this.#server.on('error', () => undefined)
    await new Promise<void>((resolve) => {
      const listener = this.#server.listen(0, '127.0.0.1', () => {
        const address = listener.address()
        this.#url = `smtp://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
        resolve()
      })
    })
  }

  /** The newest mail to the address. */
  next(to: string): Promise<ReceivedMail> {
    return eventually(() => this.mails.findLast((mail) => mail.to.includes(to)))
  }

  /** 550 is for good, 450 for now. */
  refuse(address: string, responseCode = 550): void {
    this.#refused.set(address, responseCode)
  }

  accept(address: string): void {
    this.#refused.delete(address)
  }

  close = (): Promise<void> => new Promise((resolve) => this.#server.close(() => resolve()))
}
