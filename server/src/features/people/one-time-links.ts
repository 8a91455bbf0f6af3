import { DAY, MINUTE } from '../../base/clock.ts'
import { newToken } from '../../base/ids.ts'
import type { Role } from '../../base/roles.ts'
import type { Db } from '../../db/store.ts'
import type { Deps } from '../deps.ts'
import { tokenHash } from './tokens/queries.ts'

export const INVITATION_LIFE = 7 * DAY
const LINK_LIFE = 15 * MINUTE

type LinkDeps = Pick<Deps, 'keys' | 'clock' | 'config'>

export interface OneTimeLink {
  readonly url: string
  readonly hash: Uint8Array
}

/** The secret is known only now: its keyed hash is stored. */
export function newLink({ keys, config }: LinkDeps): OneTimeLink {
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
    .select(['key', 'id', 'brand_key', 'email', 'email_key', 'mail_hash'])
    .select((eb) => eb.ref('role').$castTo<Role>().as('role'))
    .where((either) => either.or([either('link_hash', '=', hash), either('mail_hash', '=', hash)]))
    .where('expires_at', '>', now)
    .executeTakeFirst()
