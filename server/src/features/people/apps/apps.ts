import { SECOND } from '../../../base/clock.ts'
import { invalidField, notFound } from '../../../base/errors.ts'
import { newApiKeyId, newApiKeySecret, newUuid } from '../../../base/ids.ts'
import type { Scope } from '../../../base/roles.ts'
import { isSameSecret, keyedHash } from '../../../base/secrets.ts'
import { newestFirst, type Slice } from '../../../db/keyset.ts'
import type { Db, Tx } from '../../../db/store.ts'
import type { AppRow } from '../../../db/tables.ts'
import type { ActivitySubject } from '../../../events/activity.ts'
import type { Paging } from '../../../http/paging.ts'
import type { Deps } from '../../deps.ts'
import { findAppByKeyId, lockBrand } from '../tokens/queries.ts'
import { scopesOf, storedScopes } from '../tokens/token-pairs.ts'

/** At most a day: long enough to deploy, and short enough that a forgotten secret ends soon. */
export const LONGEST_OVERLAP_SECONDS = 86_400

/**
 * Gives an app a new secret. The present one works for `overlapSeconds` more, and an earlier one ends at once, so that a
 * rotation without an overlap ends every secret that may have leaked. Null if the app is revoked.
 */
export async function rotateAppSecret(
  { keys, clock }: Pick<Deps, 'keys' | 'clock'>,
  tx: Tx,
  { key, overlapSeconds }: { key: number; overlapSeconds: number },
): Promise<{ row: AppRow; apiKeySecret: string } | null> {
  const apiKeySecret = newApiKeySecret()
  // One statement: the second of two concurrent rotations waits for the first, and then keeps the secret of the first.
  const row = await tx
    .updateTable('apps')
    .set(({ ref }) => ({
      earlier_secret_hash: overlapSeconds > 0 ? ref('secret_hash') : null,
      earlier_secret_until: overlapSeconds > 0 ? clock.now() + overlapSeconds * SECOND : null,
      secret_hash: keyedHash(keys.apiSecret, apiKeySecret),
    }))
    .where('key', '=', key)
    .where('revoked_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
  return row ? { row, apiKeySecret } : null
}

const MOST_APPS = 50

const ofBrand = (db: Db, brandKey: number) => db.selectFrom('apps').where('brand_key', '=', brandKey)

/** A brand's apps, newest first, revoked ones included. */
export const appsPage = (db: Db, brandKey: number, paging: Paging): Promise<Slice<AppRow>> =>
  newestFirst(db, 'apps', ofBrand(db, brandKey).selectAll(), paging)

export const ownedApp = (db: Db, brandKey: number, appId: string): Promise<AppRow> =>
  ofBrand(db, brandKey).selectAll().where('id', '=', appId).executeTakeFirstOrThrow(notFound)

/** Locks the brand first, so that the second of two concurrent creations counts the first. */
export async function refuseTooManyApps(tx: Tx, brandKey: number): Promise<void> {
  await lockBrand(tx, brandKey)
  const live = await ofBrand(tx, brandKey).select('key').where('revoked_at', 'is', null).limit(MOST_APPS).execute()
  if (live.length < MOST_APPS) return
  throw invalidField('', 'too_many_apps', `A brand has at most ${MOST_APPS} apps that are not revoked.`)
}

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
  app: { brandKey: number | null; scopes: readonly Scope[]; name?: string | null },
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
      name: app.name ?? null,
      created_at: clock.now(),
    })
    .execute()
  return { ...created, scopes: scopesOf(scopes) }
}

export const listApps = (db: Db) =>
  db
    .selectFrom('apps')
    .leftJoin('brands', 'brands.key', 'apps.brand_key')
    .select([
      'apps.id',
      'apps.name',
      'apps.api_key_id',
      'apps.scopes',
      'apps.created_at',
      'apps.revoked_at',
      'brands.slug as brand',
    ])
    .orderBy('apps.key')
    .execute()

/** Takes the id of the app or of its key. */
export const findApp = (db: Db, id: string): Promise<AppRow | undefined> =>
  db
    .selectFrom('apps')
    .selectAll()
    .where((either) => either.or([either('id', '=', id), either('api_key_id', '=', id)]))
    .executeTakeFirst()

/** Ends the key and all tokens. A second revocation keeps the first time: false. */
export async function revokeApp(db: Db, key: number, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('apps')
    .set({ revoked_at: now, earlier_secret_hash: null, earlier_secret_until: null })
    .where('key', '=', key)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** The title of an app: its name, or its key id, which is no secret. */
export const appSubject = ({ id, name, api_key_id }: Pick<AppRow, 'id' | 'name' | 'api_key_id'>): ActivitySubject => ({
  kind: 'app',
  id,
  title: name ?? api_key_id,
})

/** An unknown key id costs the same comparisons as a known one, so that timing reveals nothing. */
export async function authenticateKey(
  { engine, keys, clock }: Pick<Deps, 'engine' | 'keys' | 'clock'>,
  id: string,
  secret: string,
): Promise<AppRow | null> {
  const app = await findAppByKeyId(engine.db, id)
  const given = keyedHash(keys.apiSecret, secret)
  const none = keyedHash(keys.apiSecret, '')
  const isRight = isSameSecret(given, app?.secret_hash ?? none)
  const isEarlier = isSameSecret(given, app?.earlier_secret_hash ?? none)
  if (!app) return null
  return isRight || (isEarlier && clock.now() < (app.earlier_secret_until ?? 0)) ? app : null
}
