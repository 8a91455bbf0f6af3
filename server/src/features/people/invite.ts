import { sql } from 'kysely'
import { alreadyMember, invalidField } from '../../base/errors.ts'
import { newUuid } from '../../base/ids.ts'
import type { Role } from '../../base/roles.ts'
import type { Tx } from '../../db/store.ts'
import type { Deps } from '../deps.ts'
import { lockMembers } from './change-members.ts'
import { emailKey } from './email.ts'
import { INVITATION_LIFE, newLink } from './one-time-links.ts'

const MOST_INVITATIONS = 100

type InviteDeps = Pick<Deps, 'keys' | 'clock' | 'config'>

interface NewInvitation {
  readonly brandKey: number
  readonly email: string
  readonly role: Role
}

export interface Invited {
  readonly invitation: { id: string; email: string; role: Role; created_at: number; expires_at: number }
  /** For the inviter to see. */
  readonly url: string
  /** For the mail alone: it proves that its reader owns the address. */
  readonly mailedUrl: string
}

/** An earlier invitation of the address stops working. */
export async function invite(deps: InviteDeps, tx: Tx, { brandKey, email, role }: NewInvitation): Promise<Invited> {
  const key = emailKey(email)
  await lockMembers(tx, brandKey)
  if (await isMember(tx, brandKey, key)) throw alreadyMember()
  const shown = newLink(deps)
  const mailed = newLink(deps)
  const now = deps.clock.now()
  await refuseTooMany(tx, { brandKey, key, now })
  const fields = {
    id: newUuid(),
    email,
    role,
    link_hash: shown.hash,
    mail_hash: mailed.hash,
    created_at: now,
    expires_at: now + INVITATION_LIFE,
  }
  const invitation = await tx
    .insertInto('invitations')
    .values({ ...fields, brand_key: brandKey, email_key: key })
    .onConflict((conflict) => conflict.columns(['brand_key', 'email_key']).doUpdateSet(fields))
    .returning(['id', 'email', 'role', 'created_at', 'expires_at'])
    .executeTakeFirstOrThrow()
  return { invitation, url: shown.url, mailedUrl: mailed.url }
}

/** Counted under the lock of the brand's members. An earlier invitation of the address is replaced, and does not count. */
async function refuseTooMany(tx: Tx, { brandKey, key, now }: { brandKey: number; key: string; now: number }) {
  const { open } = await tx
    .selectFrom('invitations')
    .select(sql<number>`count(*)`.as('open'))
    .where('brand_key', '=', brandKey)
    .where('email_key', '<>', key)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow()
  if (open < MOST_INVITATIONS) return
  throw invalidField('', 'too_many_invitations', `A brand has at most ${MOST_INVITATIONS} invitations that are open.`)
}

const isMember = async (tx: Tx, brandKey: number, key: string): Promise<boolean> =>
  (await tx
    .selectFrom('people')
    .innerJoin('members', 'members.person_key', 'people.key')
    .select(sql<number>`1`.as('one'))
    .where('people.email_key', '=', key)
    .where('members.brand_key', '=', brandKey)
    .executeTakeFirst()) !== undefined
