import { SECOND } from '../../../base/clock.ts'
import { invalidAccessToken } from '../../../base/errors.ts'
import { newToken } from '../../../base/ids.ts'
import { SCOPES_OF_ROLE, type Scope } from '../../../base/roles.ts'
import { keyedHash } from '../../../base/secrets.ts'
import type { Db, Tx } from '../../../db/store.ts'
import type { ActivitySubject } from '../../../events/activity.ts'
import type { Actor } from '../../../http/route.ts'
import type { Deps } from '../../deps.ts'

/** The brand itself, as the subject of an action. */
export async function brandSubject(db: Db, brandKey: number): Promise<ActivitySubject> {
  const brand = db.selectFrom('brands').select(['id', 'name']).where('key', '=', brandKey)
  const { id, name } = await brand.executeTakeFirstOrThrow()
  return { kind: 'brand', id, title: name }
}

/**
 * Locks the brand's row until the transaction ends, and returns it. A request that was admitted before the brand was deleted
 * is refused as it would be now: what it wrote would stay on the tombstone.
 */
export const lockBrand = (tx: Tx, brandKey: number, refusal: () => Error = invalidAccessToken) =>
  tx
    .updateTable('brands')
    .set(({ ref }) => ({ updated_at: ref('updated_at') }))
    .where('key', '=', brandKey)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirstOrThrow(() => refusal())

export const tokenHash = (key: Uint8Array, token: string): Uint8Array => keyedHash(key, token)

/** An app without a brand is valid too. */
export const findAppByKeyId = (db: Db, apiKeyId: string) =>
  db
    .selectFrom('apps')
    .leftJoin('brands', 'brands.key', 'apps.brand_key')
    .selectAll('apps')
    .where('api_key_id', '=', apiKeyId)
    .where('revoked_at', 'is', null)
    .where('brands.deleted_at', 'is', null)
    .executeTakeFirst()

/** Token families with their apps. */
const families = (db: Db) =>
  db
    .selectFrom('token_families')
    .innerJoin('apps', 'apps.key', 'token_families.app_key')
    .leftJoin('brands', 'brands.key', 'apps.brand_key')
    .select(['token_families.key as family_key', 'token_families.device', 'token_families.scopes'])
    .select(['token_families.expires_at as family_expires_at', 'token_families.revoked_at'])
    .select(['apps.key as app_key', 'apps.id as app_id', 'apps.api_key_id', 'apps.brand_key'])
    .select(['apps.last_used_at', 'apps.revoked_at as app_revoked_at'])

/** A token is valid while the token, its family, its app and the app's brand are. */
export const findLiveAccess = (db: Db, hash: Uint8Array, now: number) =>
  families(db)
    .innerJoin('access_tokens', 'access_tokens.family_key', 'token_families.key')
    .where('access_tokens.hash', '=', hash)
    .where('access_tokens.expires_at', '>', now)
    .where('token_families.revoked_at', 'is', null)
    .where('apps.revoked_at', 'is', null)
    .where('brands.deleted_at', 'is', null)
    .executeTakeFirst()

export const findRefresh = (db: Db, hash: Uint8Array) =>
  families(db)
    .innerJoin('refresh_tokens', 'refresh_tokens.family_key', 'token_families.key')
    .select('refresh_tokens.expires_at')
    .where('refresh_tokens.hash', '=', hash)
    .where('brands.deleted_at', 'is', null)
    .executeTakeFirst()

/** The family of an access or refresh token, expired or not: expired tokens can be revoked too. */
export const findFamily = (db: Db, hash: Uint8Array) =>
  families(db)
    .where(({ eb, or, selectFrom }) =>
      or([
        eb('token_families.key', 'in', selectFrom('access_tokens').select('family_key').where('hash', '=', hash)),
        eb('token_families.key', 'in', selectFrom('refresh_tokens').select('family_key').where('hash', '=', hash)),
      ]),
    )
    .executeTakeFirst()

type Family = NonNullable<Awaited<ReturnType<typeof findFamily>>>

export const isLiveFamily = (family: Family, now: number): boolean =>
  family.revoked_at === null && family.app_revoked_at === null && family.family_expires_at > now

export const revokeFamily = (db: Db, familyKey: number, now: number) =>
  db
    .updateTable('token_families')
    .set({ revoked_at: now })
    .where('key', '=', familyKey)
    .where('revoked_at', 'is', null)
    .execute()

/** Tells the access token of a person from that of an app, so that each is looked up in one table. */
const PREFIX = 'tsm_'

export const isSessionToken = (token: string): boolean => token.startsWith(PREFIX)

/** Issues an access token that acts for one brand, for as long as the session lives and the person is a member. */
export async function issueSessionToken(
  { config, keys, clock }: Pick<Deps, 'config' | 'keys' | 'clock'>,
  db: Db,
  { sessionKey, brandKey }: { sessionKey: number; brandKey: number },
): Promise<{ accessToken: string; expiresIn: number }> {
  const accessToken = newToken(PREFIX)
  const expiresIn = config.accessTokenSeconds
  await db
    .insertInto('session_tokens')
    .values({
      hash: tokenHash(keys.token, accessToken),
      session_key: sessionKey,
      brand_key: brandKey,
      expires_at: clock.now() + expiresIn * SECOND,
    })
    .execute()
  return { accessToken, expiresIn }
}

/** Nothing if the session has ended or the person is no member of the brand any more. */
export const findLiveSessionToken = (db: Db, hash: Uint8Array, now: number) =>
  db
    .selectFrom('session_tokens')
    .innerJoin('sessions', 'sessions.key', 'session_tokens.session_key')
    .innerJoin('members', (join) =>
      join
        .onRef('members.person_key', '=', 'sessions.person_key')
        .onRef('members.brand_key', '=', 'session_tokens.brand_key'),
    )
    .innerJoin('people', 'people.key', 'sessions.person_key')
    .select(['members.person_key', 'members.brand_key', 'members.role', 'people.id'])
    .where('session_tokens.hash', '=', hash)
    .where('session_tokens.expires_at', '>', now)
    .where('sessions.expires_at', '>', now)
    .executeTakeFirst()

export const revokeSessionToken = (db: Db, hash: Uint8Array) =>
  db.deleteFrom('session_tokens').where('hash', '=', hash).execute()

/** True while a member works for the brand with a role that has the scope, or an app is not revoked: its tokens may have expired. */
export async function hasAccess(
  db: Db,
  { brandKey, actor, scope }: { brandKey: number; actor: Pick<Actor, 'kind' | 'key'>; scope: Scope | undefined },
): Promise<boolean> {
  if (actor.kind === 'app') {
    const app = db.selectFrom('apps').select('key').where('key', '=', actor.key).where('revoked_at', 'is', null)
    return (await app.executeTakeFirst()) !== undefined
  }
  const member = db.selectFrom('members').select('role').where('brand_key', '=', brandKey)
  const found = await member.where('person_key', '=', actor.key).executeTakeFirst()
  return found !== undefined && (scope === undefined || SCOPES_OF_ROLE[found.role].includes(scope))
}
