import { newApiKeyId, newApiKeySecret, newUuid } from '../../base/ids.ts'
import type { Scope } from '../../base/scopes.ts'
import { isSameSecret, keyedHash } from '../../base/secrets.ts'
import type { Db } from '../../db/store.ts'
import type { AppRow } from '../../db/tables.ts'
import type { Deps } from '../../deps.ts'
import { findAppByKeyId } from './queries.ts'
import { scopesOf, storedScopes } from './schema.ts'

type AppDeps = Pick<Deps, 'clock' | 'keys'>

export interface NewApp {
  readonly appId: string
  readonly apiKeyId: string
  readonly apiKeySecret: string
  readonly scopes: Scope[]
}

/** The only moment at which the secret is known: only its keyed hash is stored. */
export async function createApp(
  db: Db,
  { clock, keys }: AppDeps,
  app: { brandKey: number | null; scopes: readonly Scope[] },
): Promise<NewApp> {
  const created = { appId: newUuid(), apiKeyId: newApiKeyId(), apiKeySecret: newApiKeySecret() }
  const scopes = storedScopes(app.scopes)
  await db
    .insertInto('apps')
    .values({
      id: created.appId,
      brand_key: app.brandKey,
      api_key_id: created.apiKeyId,
      secret_hash: keyedHash(keys.apiSecret, created.apiKeySecret),
      scopes,
      created_at: clock.now(),
      revoked_at: null,
    })
    .execute()
  return { ...created, scopes: scopesOf(scopes) }
}

export const listApps = (db: Db) =>
  db
    .selectFrom('apps')
    .leftJoin('brands', 'brands.key', 'apps.brand_key')
    .select(['apps.id', 'apps.api_key_id', 'apps.scopes', 'apps.created_at', 'apps.revoked_at', 'brands.slug as brand'])
    .orderBy('apps.key')
    .execute()

/** Takes either id. False when there is no such app; a second revocation keeps the first time. */
export async function revokeApp(db: Db, id: string, now: number): Promise<boolean> {
  const app = await db
    .selectFrom('apps')
    .select(['key', 'revoked_at'])
    .where((either) => either.or([either('id', '=', id), either('api_key_id', '=', id)]))
    .executeTakeFirst()
  if (!app) return false
  await db
    .updateTable('apps')
    .set({ revoked_at: now })
    .where('key', '=', app.key)
    .where('revoked_at', 'is', null)
    .execute()
  return true
}

/** An unknown key id costs the same comparison as a known one, so that timing reveals nothing. */
export async function authenticateKey(
  { engine, keys }: Pick<Deps, 'engine' | 'keys'>,
  id: string,
  secret: string,
): Promise<AppRow | null> {
  const app = await findAppByKeyId(engine.db, id)
  const given = keyedHash(keys.apiSecret, secret)
  const isRight = isSameSecret(given, app?.secret_hash ?? keyedHash(keys.apiSecret, ''))
  return app && isRight ? app : null
}
