import { sql } from 'kysely'
import { DAY, MINUTE } from '../../base/clock.ts'
import { AppError, invalidField, invalidLink } from '../../base/errors.ts'
import { newToken, newUuid } from '../../base/ids.ts'
import type { Role } from '../../base/roles.ts'
import { isSameSecret } from '../../base/secrets.ts'
import type { Db, Tx } from '../../db/store.ts'
import { transaction } from '../../db/transaction.ts'
import { recordActivity } from '../../events/activity.ts'
import type { Deps } from '../deps.ts'
import { emailKey } from './email.ts'
import { findMemberByKey, type InvitationRow, lockPerson, memberSubject, withdrawInvitationOf } from './members.ts'
import { endSession, lockSession, type Session, startSession, worksForABrand } from './sessions/sessions.ts'
import { lockBrand, tokenHash } from './tokens/queries.ts'

const INVITATION_LIFE = 7 * DAY
const LINK_LIFE = 15 * MINUTE

type LinkDeps = Pick<Deps, 'keys' | 'clock' | 'config'>

/** The secret is known only now: its keyed hash is stored. Behind `#`, no server, log or Referer sees it. */
function newLink({ keys, config }: LinkDeps): { url: string; hash: Uint8Array } {
  const token = newToken('tsl_')
  return { url: `${config.publicUrl}/console/join#${token}`, hash: tokenHash(keys.token, token) }
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
const findInvitation = (db: Db, hash: Uint8Array, now: number) =>
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
  if (await findMemberByKey(tx, brandKey, key)) throw new AppError('ALREADY_MEMBER')
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

interface Use {
  readonly token: string
  /** The session of the cookie that came with the link, which the new one replaces. */
  readonly current: Session | null
  readonly userAgent: string | null
}

/** Uses up a link of either kind, and starts a session: returns the secret of its cookie. */
export const useLink = (deps: Deps, { token, current, userAgent }: Use): Promise<string> =>
  transaction(deps.engine, async (tx) => {
    const hash = tokenHash(deps.keys.token, token)
    const personKey = (await useSignInLink(deps, tx, hash)) ?? (await acceptInvitation(deps, tx, { hash, current }))
    if (personKey === null || !(await worksForABrand(tx, personKey))) throw invalidLink()
    if (current) await endSession(tx, current.sessionKey)
    return startSession(deps, tx, { personKey, userAgent })
  })

/** If two requests use one link, the request that deletes its row signs in. */
async function useSignInLink({ clock }: Deps, tx: Tx, hash: Uint8Array): Promise<number | null> {
  const now = clock.now()
  const found = await tx
    .selectFrom('sign_in_links')
    .select('person_key')
    .where('hash', '=', hash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  // The person before the link, as removing a person does: otherwise the two would wait for each other.
  if (!found || !(await lockPerson(tx, found.person_key))) return null
  const link = await tx
    .deleteFrom('sign_in_links')
    .where('hash', '=', hash)
    .returning(['person_key', 'is_mailed'])
    .executeTakeFirst()
  if (!link) return null
  if (link.is_mailed === 1) await proveAddress(tx, link.person_key)
  return link.person_key
}

/**
 * An inviter sees a link to an address that may be another's. So a link that was not mailed never signs in to an account
 * that is there already: it only adds the brand to the account that is signed in.
 */
async function acceptInvitation(
  deps: Deps,
  tx: Tx,
  { hash, current }: { hash: Uint8Array; current: Session | null },
): Promise<number | null> {
  const now = deps.clock.now()
  const invitation = await findInvitation(tx, hash, now)
  if (!invitation) return null
  // Before the row of the invitation, in the order in which `invite` locks them.
  await lockBrand(tx, invitation.brand_key, invalidLink)
  // Inviting an address again keeps the row and gives it a new id: the earlier link must not use up the new invitation.
  const { numDeletedRows } = await tx
    .deleteFrom('invitations')
    .where('key', '=', invitation.key)
    .where('id', '=', invitation.id)
    .executeTakeFirst()
  if (numDeletedRows === 0n) return null
  const isMailed = invitation.mail_hash !== null && isSameSecret(invitation.mail_hash, hash)
  const made = await addPerson(tx, { email: invitation.email, emailKey: invitation.email_key, isProven: isMailed, now })
  const personKey = made ?? (await personOf(tx, invitation.email_key))
  if (made === null && !isMailed && !(await isStillSignedIn(tx, personKey, current))) throw invalidLink()
  if (made === null && isMailed) await proveAddress(tx, personKey)
  await addMember(tx, { brandKey: invitation.brand_key, personKey, role: invitation.role, now })
  return personKey
}

/** The session may have ended since the request came: a proof of the address ends those of who cannot read its mail. */
const isStillSignedIn = async (tx: Tx, personKey: number, session: Session | null): Promise<boolean> =>
  session?.personKey === personKey && (await lockPerson(tx, personKey)) && lockSession(tx, session.sessionKey)

/** Null if the address has an account. */
export async function addPerson(
  tx: Tx,
  { email, emailKey, isProven, now }: { email: string; emailKey: string; isProven: boolean; now: number },
): Promise<number | null> {
  const row = await tx
    .insertInto('people')
    .values({ id: newUuid(), email, email_key: emailKey, is_proven: isProven ? 1 : 0, created_at: now })
    .onConflict((conflict) => conflict.column('email_key').doNothing())
    .returning('key')
    .executeTakeFirst()
  return row?.key ?? null
}

const personOf = async (tx: Tx, emailKey: string): Promise<number> =>
  (await tx.selectFrom('people').select('key').where('email_key', '=', emailKey).executeTakeFirstOrThrow(invalidLink))
    .key

/** An existing member keeps their role. Open invitations to their address end, including one that another request creates now. */
export async function addMember(
  tx: Tx,
  { brandKey, personKey, role, now }: { brandKey: number; personKey: number; role: Role; now: number },
): Promise<void> {
  await lockBrand(tx, brandKey, invalidLink)
  if (!(await lockPerson(tx, personKey))) throw invalidLink()
  const joined = await tx
    .insertInto('members')
    .values({ brand_key: brandKey, person_key: personKey, role, created_at: now })
    .onConflict((conflict) => conflict.columns(['brand_key', 'person_key']).doNothing())
    .returning('person_key')
    .executeTakeFirst()
  if (!joined) return
  const { id, email, email_key } = await tx
    .selectFrom('people')
    .select(['id', 'email', 'email_key'])
    .where('key', '=', personKey)
    .executeTakeFirstOrThrow()
  await withdrawInvitationOf(tx, brandKey, email_key)
  const actor = { kind: 'member', key: personKey, id } as const
  await recordActivity(tx, { brandKey, at: now, actor, action: 'member.joined', subject: memberSubject({ id, email }) })
}

/**
 * The first proof that the person reads mail to the address. An account that was made without one may be another's work: its
 * sessions and passkeys end, and its links that were not mailed. The update locks the person.
 */
export async function proveAddress(tx: Tx, personKey: number): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('people')
    .set({ is_proven: 1 })
    .where('key', '=', personKey)
    .where('is_proven', '=', 0)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return
  await tx.deleteFrom('sessions').where('person_key', '=', personKey).execute()
  await tx.deleteFrom('passkeys').where('person_key', '=', personKey).execute()
  await tx.deleteFrom('sign_in_links').where('person_key', '=', personKey).where('is_mailed', '=', 0).execute()
}

/**
 * Gives the role of operator to the person with this address, or takes it away. False if nobody works for a brand with it.
 * What an account signs in with ends first: an inviter may have made it for an address that is not theirs.
 */
export async function setOperator(tx: Tx, emailKey: string, isOperator: boolean): Promise<boolean> {
  const person = await findMemberByEmail(tx, emailKey)
  if (!person || !(await lockPerson(tx, person.key))) return false
  if (isOperator) await proveAddress(tx, person.key)
  await tx
    .updateTable('people')
    .set({ is_operator: isOperator ? 1 : 0 })
    .where('key', '=', person.key)
    .execute()
  return true
}
