// features/people/mail: mails to members and to those whom they invite, what a member is mailed, and how such mails end.
import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Transporter } from 'nodemailer'
import type { Lang } from '../../../../../embed/src/words.ts'
import { DAY } from '../../../base/clock.ts'
import type { Log } from '../../../base/log.ts'
import { keyedHash } from '../../../base/secrets.ts'
import { Semaphore } from '../../../base/work/semaphore.ts'
import type { Config } from '../../../config/config.ts'
import type { Tx } from '../../../db/store.ts'
import { transaction } from '../../../db/transaction.ts'
import { mailsToAddress } from '../../../http/limits/limits.ts'
import { filled, WORDS } from '../../../words/words.ts'
import type { Deps } from '../../deps.ts'
import { emailKey } from '../email.ts'
import { createSignInLink, findMemberByEmail, type Invited } from '../links.ts'
import { brandInMail, type Logo, mailPage } from './layout.ts'

export interface Message {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly headers?: Readonly<Record<string, string>>
}

interface Parts {
  readonly logo?: Logo | null
  readonly subject: string
  readonly intro: string
  readonly button: string
  readonly life: string
}

function message(
  { to, url, lang }: { to: string; url: string; lang: Lang },
  { subject, intro, button, life, logo = null }: Parts,
): Message {
  const { notYou, orCopy } = WORDS[lang].people
  const text = [intro, '', `${button}:`, url, '', life, notYou, ''].join('\n')
  const markup = mailPage({ url, lang, subject, intro, button, logo, life, quiet: [notYou], orCopy })
  return { to, subject, text, html: String(markup) }
}

const TIMEOUT_MS = 20_000
/** In all: a server that sends a byte now and then passes every timeout of inactivity. */
export const LONGEST_MS = 60_000
const MOST_SAID_BYTES = 64 * 1_024
const SENT_AT_ONCE = 5
const MOST_WAITING = 1_000
/** How long a stop waits for mails that are being sent. */
const DRAIN_MS = 5_000

type MailConfig = Pick<Config, 'smtpUrl' | 'mailFrom' | 'publicUrl'>

/** Sends in the background: nobody waits for a mail, and nobody learns from an answer whether one was sent. */
export class Mailer {
  readonly #config: MailConfig
  readonly #log: Pick<Log, 'warn'>
  readonly #following = new Set<Promise<void>>()
  readonly #turns = new Semaphore(SENT_AT_ONCE)
  readonly #stopping = new AbortController()
  #transport: Promise<Transporter> | null = null

  readonly #longestMs: number

  constructor(config: MailConfig, log: Pick<Log, 'warn'>, longestMs = LONGEST_MS) {
    this.#config = config
    this.#log = log
    this.#longestMs = longestMs
  }

  /** False without a mail server, and while it takes too few mails. */
  get isOn(): boolean {
    return this.#config.smtpUrl !== null && this.#following.size < MOST_WAITING
  }

  send(message: Message): void {
    const { smtpUrl } = this.#config
    if (smtpUrl !== null) this.follow(this.#deliver(smtpUrl, message))
  }

  /** Resolves when the mail server has taken the mail; does nothing without one. */
  async deliver(message: Message): Promise<void> {
    const { smtpUrl } = this.#config
    if (smtpUrl === null) return
    const sending = this.#deliver(smtpUrl, message)
    this.follow(sending)
    await sending
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

  /** Resolves when every mail has been sent or has failed: soon, also where the mail server takes none. */
  async close(withinMs = DRAIN_MS): Promise<void> {
    const late = setTimeout(() => this.#stopping.abort(new Error('stopping')), withinMs)
    while (this.#following.size > 0) await Promise.all(this.#following)
    clearTimeout(late)
    // A job that is still at work sends nothing more.
    this.#stopping.abort(new Error('stopping'))
  }

  async #deliver(smtpUrl: string, message: Message): Promise<void> {
    this.#transport ??= openTransport(smtpUrl)
    const transport = await this.#transport
    const { mailFrom, publicUrl } = this.#config
    const from = mailFrom ?? `Tossup <tossup@${new URL(publicUrl).hostname}>`
    await this.#turns.run(async () => {
      const signal = AbortSignal.any([AbortSignal.timeout(this.#longestMs), this.#stopping.signal])
      await transport.sendMail({ from, signal, ...message })
    })
  }
}

/** Loaded at the first mail: most servers and commands send none. */
async function openTransport(smtpUrl: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS }
  // Never read files or addresses that a message names: the messages are ours, but their values are not.
  const closed = { disableFileAccess: true, disableUrlAccess: true }
  return createTransport({ url: smtpUrl, maxResponseSize: MOST_SAID_BYTES, ...timeouts, ...closed })
}

const SHORTEST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1_000

/** Each kind of mail has a count of its own, so that invitations use up no sign-in links. Addresses are hashed, even in memory. */
async function isWithinLimit(
  { keys, limiter }: Pick<Deps, 'keys' | 'limiter'>,
  policy: 'link-address' | 'invitation-address',
  email: string,
): Promise<boolean> {
  const key = keyedHash(keys.network, `email ${emailKey(email)}`)
    .toString('base64url')
    .slice(0, 22)
  const [verdict] = await limiter.take([{ quota: { policy, ...mailsToAddress }, key }])
  return verdict?.isAllowed ?? false
}

/**
 * Sends a link if a member has this address. The random pause comes after the answer: SQLite works on the event loop, so
 * the lookup and its commit would delay the answer, or the next one, and tell who is a member.
 */
export function sendSignInLink(deps: Deps, mailer: Mailer, { email, lang }: { email: string; lang: Lang }): void {
  if (!mailer.isOn) return
  const sending = async (): Promise<void> => {
    const isAllowed = await isWithinLimit(deps, 'link-address', email)
    await pause(randomInt(SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS))
    if (!isAllowed) return
    const person = await findMemberByEmail(deps.engine.db, emailKey(email))
    if (!person) return
    const { url } = await transaction(deps.engine, (tx) =>
      createSignInLink(deps, tx, { personKey: person.key, isMailed: true }),
    )
    const words = WORDS[lang].people
    const intro = filled(words.signInText, { email: person.email })
    const parts = { subject: words.signInSubject, intro, button: words.signInButton, life: words.signInLife }
    mailer.send(message({ to: person.email, url, lang }, parts))
  }
  mailer.follow(sending())
}

interface Inviting {
  readonly invited: Invited
  readonly brandKey: number
  readonly lang: Lang
  /** The id of the member who invites; left out for the operator, who acts on the command line. */
  readonly inviterId?: string
}

/** Made in the transaction, because it names the brand, and sent after the commit. */
export async function invitationMail(
  { config }: Pick<Deps, 'config'>,
  tx: Tx,
  { invited, brandKey, lang, inviterId }: Inviting,
): Promise<Message> {
  const { email, role } = invited.invitation
  const row = await tx
    .selectFrom('brands')
    .select(['name', 'theme', 'avatar_url'])
    .where('key', '=', brandKey)
    .executeTakeFirstOrThrow()
  const inviter =
    inviterId && (await tx.selectFrom('people').select('email').where('id', '=', inviterId).executeTakeFirst())
  const words = WORDS[lang].people
  const { name: brand, logo } = brandInMail(config, row)
  const values = { brand, role: words.roles[role], inviter: inviter ? inviter.email : '' }
  return message(
    { to: email, url: invited.mailedUrl, lang },
    {
      logo,
      subject: filled(words.inviteSubject, values),
      intro: filled(inviter ? words.inviteBy : words.inviteText, values),
      button: words.inviteButton,
      life: words.inviteLife,
    },
  )
}

const MAILED_A_DAY = 20

/** A brand could mail strangers otherwise. Deleted invitations count, and those of addresses that joined do not; under its lock. */
export async function mayMailInvitation(tx: Tx, brandKey: number, now: number): Promise<boolean> {
  const joined = tx
    .selectFrom('activity')
    .select('subject_title')
    .where('brand_key', '=', brandKey)
    .where('action', '=', 'member.joined')
    .where('at', '>', now - DAY)
  const unused = await tx
    .selectFrom('activity')
    .select('key')
    .where('brand_key', '=', brandKey)
    .where('action', '=', 'invitation.created')
    .where('at', '>', now - DAY)
    .where('subject_title', 'not in', joined)
    .limit(MAILED_A_DAY)
    .execute()
  return unused.length < MAILED_A_DAY
}

/** Within the limit of mails to one address, so that nobody is flooded by invitations. The inviter has a link in any case. */
export function mailInvitation(deps: Pick<Deps, 'keys' | 'limiter'>, mailer: Mailer, message: Message): void {
  if (!mailer.isOn) return
  const sending = async (): Promise<void> => {
    if (await isWithinLimit(deps, 'invitation-address', message.to)) mailer.send(message)
  }
  mailer.follow(sending())
}
