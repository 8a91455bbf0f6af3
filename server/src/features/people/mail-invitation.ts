import type { Lang } from '../../../../embed/src/words.ts'
import type { Tx } from '../../db/store.ts'
import type { Deps } from '../deps.ts'
import type { Invited } from './invite.ts'
import type { Mailer } from './mail/mailer.ts'
import { invitationMessage, type Message } from './mail/messages.ts'
import { addressClaim } from './sign-in-links.ts'

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
