import { keyedHash } from '../../../base/secrets.ts'
import type { Db } from '../../../db/store.ts'

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

/** A token is valid while the token, its family, its app and the app's brand are. */
export const findLiveAccess = (db: Db, hash: Uint8Array, now: number) =>
  db
    .selectFrom('access_tokens')
    .innerJoin('token_families', 'token_families.key', 'access_tokens.family_key')
    .innerJoin('apps', 'apps.key', 'token_families.app_key')
    .leftJoin('brands', 'brands.key', 'apps.brand_key')
    .select([
      'apps.key as app_key',
      'apps.id as app_id',
      'apps.last_used_at',
      'apps.brand_key',
      'token_families.device',
      'token_families.scopes',
    ])
    .where('access_tokens.hash', '=', hash)
    .where('access_tokens.expires_at', '>', now)
    .where('token_families.revoked_at', 'is', null)
    .where('apps.revoked_at', 'is', null)
    .where('brands.deleted_at', 'is', null)
    .executeTakeFirst()

export const findRefresh = (db: Db, hash: Uint8Array) =>
  db
    .selectFrom('refresh_tokens')
    .innerJoin('token_families', 'token_families.key', 'refresh_tokens.family_key')
    .innerJoin('apps', 'apps.key', 'token_families.app_key')
    .leftJoin('brands', 'brands.key', 'apps.brand_key')
    .select([
      'refresh_tokens.family_key',
      'refresh_tokens.expires_at',
      'refresh_tokens.used_at',
      'refresh_tokens.successor_hash',
      'refresh_tokens.successor_pair',
      'token_families.scopes',
      'token_families.expires_at as family_expires_at',
      'token_families.revoked_at',
      'apps.key as app_key',
      'apps.api_key_id',
      'apps.revoked_at as app_revoked_at',
    ])
    .where('refresh_tokens.hash', '=', hash)
    .where('brands.deleted_at', 'is', null)
    .executeTakeFirst()

/** The family of an access or refresh token, expired or not: expired tokens can be revoked too. */
export const findFamily = (db: Db, hash: Uint8Array) =>
  db
    .selectFrom('token_families')
    .innerJoin('apps', 'apps.key', 'token_families.app_key')
    .select([
      'token_families.key as family_key',
      'token_families.expires_at as family_expires_at',
      'token_families.revoked_at',
      'apps.key as app_key',
      'apps.api_key_id',
      'apps.revoked_at as app_revoked_at',
    ])
    .where((either) =>
      either.or([
        either(
          'token_families.key',
          'in',
          either.selectFrom('access_tokens').select('family_key').where('hash', '=', hash),
        ),
        either(
          'token_families.key',
          'in',
          either.selectFrom('refresh_tokens').select('family_key').where('hash', '=', hash),
        ),
      ]),
    )
    .executeTakeFirst()

interface FamilyState {
  readonly family_expires_at: number
  readonly revoked_at: number | null
  readonly app_revoked_at: number | null
}

export const isLiveFamily = (family: FamilyState, now: number): boolean =>
  family.revoked_at === null && family.app_revoked_at === null && family.family_expires_at > now

export const revokeFamily = (db: Db, familyKey: number, now: number) =>
  db
    .updateTable('token_families')
    .set({ revoked_at: now })
    .where('key', '=', familyKey)
    .where('revoked_at', 'is', null)
    .execute()
