import { sql } from 'kysely'
import { DAY, MINUTE } from '../../base/clock.ts'
import { alreadyMember, invalidField } from '../../base/errors.ts'
import { newToken, newUuid } from '../../base/ids.ts'
import type { Role } from '../../base/roles.ts'
import type { Db, Tx } from '../../db/store.ts'
import type { Deps } from '../deps.ts'
import { emailKey } from './email.ts'
import { findMemberByKey, type InvitationRow } from './members.ts'
import { lockBrand, tokenHash } from './tokens/queries.ts'

const INVITATION_LIFE = 7 * DAY
const LINK_LIFE = 15 * MINUTE

type LinkDeps = Pick<Deps, 'keys' | 'clock' | 'config'>

/** The secret is known only now: its keyed hash is stored. */
function newLink({ keys, config }: LinkDeps): { url: string; hash: Uint8Array } {
  const token = newToken('tsl_')
  return { url: `${config.publicUrl}/console/join/${token}`, hash: tokenHash(keys.token, token) }
}

interface SignInLink {
  readonly personKey: number
  /** A mailed link proves that the person reads mail to the address; for one on the command line, the operator vouches. */
  readonly isMailed: boolean
  readonly life?: number
}

export async function createSignInLink(
  deps: LinkDeps,
  db: Db,
  { personKey, isMailed, life = LINK_LIFE }: SignInLink,
): Promise<{ url: string; expiresAt: number }> {
  const { url, hash } = newLink(deps)
  const expiresAt = deps.clock.now() + life
  await db
    .insertInto('sign_in_links')
    .values({ hash, person_key: personKey, is_mailed: isMailed ? 1 : 0, expires_at: expiresAt })
    .execute()
  return { url, expiresAt }
}

/** The person to whom a link for this address may go: one who works for a brand. */
export const findMemberByEmail = (db: Db, key: string) =>
  db
    .selectFrom('people')
    .select(['key', 'id', 'email', 'is_proven'])
    .where('email_key', '=', key)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('members').select('brand_key').whereRef('members.person_key', '=', 'people.key')),
    )
    .executeTakeFirst()

/** The brand and role of an invitation that can still be accepted, by either of its links. */
export const findInvitation = (db: Db, hash: Uint8Array, now: number) =>
  db
    .selectFrom('invitations')
    .select(['key', 'id', 'brand_key', 'email', 'email_key', 'mail_hash', 'role'])
    .where((either) => either.or([either('link_hash', '=', hash), either('mail_hash', '=', hash)]))
    .where('expires_at', '>', now)
    .executeTakeFirst()

const MOST_INVITATIONS = 100

export interface Invited {
  readonly invitation: InvitationRow
  /** For the inviter to see. */
  readonly url: string
  /** For the mail alone: it proves that its reader owns the address. */
  readonly mailedUrl: string
}

/** An earlier invitation of the address stops working. */
export async function invite(
  deps: LinkDeps,
  tx: Tx,
  { brandKey, email, role }: { brandKey: number; email: string; role: Role },
): Promise<Invited> {
  const key = emailKey(email)
  await lockBrand(tx, brandKey)
  if (await findMemberByKey(tx, brandKey, key)) throw alreadyMember()
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
