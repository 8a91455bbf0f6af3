// features/people/mail: mails with links, and their words.

import type { Transporter } from 'nodemailer'
import type { Log } from '../../../base/log.ts'
import type { Config } from '../../../config/config.ts'
import type { Message } from './messages.ts'

const TIMEOUT_MS = 20_000
const MOST_WAITING = 1_000

/** Sends in the background: nobody waits for a mail, and nobody learns from an answer whether one was sent. */
export class Mailer {
  readonly #smtpUrl: string | null
  readonly #from: string
  readonly #log: Pick<Log, 'warn'>
  readonly #following = new Set<Promise<void>>()
  #transport: Promise<Transporter> | null = null

  constructor(
    { smtpUrl, mailFrom, publicUrl }: Pick<Config, 'smtpUrl' | 'mailFrom' | 'publicUrl'>,
    log: Pick<Log, 'warn'>,
  ) {
    this.#smtpUrl = smtpUrl
    this.#from = mailFrom ?? `Tossup <tossup@${new URL(publicUrl).hostname}>`
    this.#log = log
  }

  /** False without a mail server, and while it takes too few mails. */
  get isOn(): boolean {
    return this.#smtpUrl !== null && this.#following.size < MOST_WAITING
  }

  send(message: Message): void {
    if (this.#smtpUrl !== null) this.follow(this.#deliver(this.#smtpUrl, message))
  }

  /** Waits for work that ends in a mail before the service stops, and logs its failure. */
  follow(work: Promise<unknown>): void {
    const followed = work.then(
      () => undefined,
      (error: { code?: string; responseCode?: number }) => {
        // Without the error's text, in which a mail server repeats the address.
        const { code, responseCode } = error
        this.#log.warn({ code, responseCode }, 'a mail could not be sent: see SMTP_URL')
      },
    )
    this.#following.add(followed)
    void followed.finally(() => this.#following.delete(followed))
  }

  /** Resolves when every mail has been sent or has failed. */
  async close(): Promise<void> {
    while (this.#following.size > 0) await Promise.all(this.#following)
    const transport = await this.#transport
    transport?.close()
  }

  async #deliver(smtpUrl: string, message: Message): Promise<void> {
    this.#transport ??= openTransport(smtpUrl)
    const transport = await this.#transport
    await transport.sendMail({ from: this.#from, ...message })
  }
}

/** Loaded at the first mail: most servers and commands send none. */
async function openTransport(smtpUrl: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS }
  // Never read files or addresses that a message names: the messages are ours, but their values are not.
  const closed = { disableFileAccess: true, disableUrlAccess: true }
  return createTransport({ url: smtpUrl, pool: true, ...timeouts, ...closed })
}
