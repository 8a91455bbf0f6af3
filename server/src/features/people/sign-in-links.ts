import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Lang } from '../../../../embed/src/words.ts'
import { keyedHash } from '../../base/secrets.ts'
import type { Tx } from '../../db/store.ts'
import { transaction } from '../../db/transaction.ts'
import type { Claim } from '../../http/limits/limiter.ts'
import { quotaOf } from '../../http/limits/limits.ts'
import type { Deps } from '../deps.ts'
import { emailKey } from './email.ts'
import { invitationMessage, type Mailer, type Message, signInMessage } from './mail/mailer.ts'
import { createSignInLink, findMemberByEmail, type Invited } from './one-time-links.ts'

const SHORTEST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1_000

/** The addresses that links may be mailed to; hashed before they are kept, even in memory. */
export const addressClaim = ({ config, keys }: Pick<Deps, 'config' | 'keys'>, email: string): Claim => ({
  quota: quotaOf('linkAddress', config),
  key: keyedHash(keys.network, `email ${emailKey(email)}`)
    .toString('base64url')
    .slice(0, 22),
})

/**
 * Sends a link if a member has this address. It begins after a random pause, when the answer has been sent: SQLite works on
 * the event loop, so the lookup and its commit would delay the answer, or the next one, and tell who is a member. The mail
 * goes to the stored address, never to the typed one.
 */
export function sendSignInLink(deps: Deps, mailer: Mailer, { email, lang }: { email: string; lang: Lang }): void {
  if (!mailer.isOn) return
  const sending = async (): Promise<void> => {
    await pause(randomInt(SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS))
    const person = await findMemberByEmail(deps.engine.db, emailKey(email))
    if (!person) return
    const { url } = await transaction(deps.engine, (tx) =>
      createSignInLink(deps, tx, { personKey: person.key, isMailed: true }),
    )
    mailer.send(signInMessage({ to: person.email, url, lang }))
  }
  mailer.follow(sending())
}

/** Made in the transaction, because it names the brand, and sent after the commit. */
export async function invitationMail(
  tx: Tx,
  { invitation: { email, role }, mailedUrl }: Invited,
  { brandKey, lang }: { brandKey: number; lang: Lang },
): Promise<Message> {
  const { name } = await tx.selectFrom('brands').select('name').where('key', '=', brandKey).executeTakeFirstOrThrow()
  return invitationMessage({ to: email, url: mailedUrl, lang }, { brand: name, role })
}

/** Within the limit of mails to one address, so that nobody is flooded by invitations. The inviter has a link in any case. */
export function mailInvitation(
  deps: Pick<Deps, 'config' | 'keys' | 'limiter'>,
  mailer: Mailer,
  message: Message,
): void {
  if (!mailer.isOn) return
  const sending = async (): Promise<void> => {
    const [verdict] = await deps.limiter.take([addressClaim(deps, message.to)])
    if (verdict?.isAllowed) mailer.send(message)
  }
  mailer.follow(sending())
}
