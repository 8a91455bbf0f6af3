import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Lang } from '../../../../embed/src/words.ts'
import { keyedHash } from '../../base/secrets.ts'
import { transaction } from '../../db/transaction.ts'
import { type Claim, quotaOf } from '../../http/limits/limits.ts'
import type { Deps } from '../deps.ts'
import { emailKey } from './email.ts'
import type { Mailer } from './mail/mailer.ts'
import { signInMessage } from './mail/messages.ts'
import { createSignInLink, findMemberByEmail } from './one-time-links.ts'

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
