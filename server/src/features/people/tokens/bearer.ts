import { MINUTE } from '../../../base/clock.ts'
import { credentialsMissing, invalidAccessToken } from '../../../base/errors.ts'
import { SCOPES_OF_ROLE, type Scope } from '../../../base/roles.ts'
import type { AppRow } from '../../../db/tables.ts'
import { relaxedTransaction } from '../../../db/transaction.ts'
import { header, type Incoming } from '../../../http/incoming.ts'
import type { Actor } from '../../../http/route.ts'
import type { Deps } from '../../deps.ts'
import { type Device, deviceOfMember } from './device.ts'
import { findLiveAccess, tokenHash } from './queries.ts'
import { scopesOf } from './schema.ts'
import { findLiveSessionToken, isSessionToken } from './session-tokens.ts'

/** Stores that an app is in use, at most once a minute. The request goes on even if that fails. */
async function noteUse(
  { engine, clock, log }: Pick<Deps, 'engine' | 'clock' | 'log'>,
  { key, last_used_at: before }: Pick<AppRow, 'key' | 'last_used_at'>,
): Promise<void> {
  const now = clock.now()
  if (before !== null && before > now - MINUTE) return
  try {
    await relaxedTransaction(engine, (tx) =>
      tx
        .updateTable('apps')
        .set({ last_used_at: now })
        .where('key', '=', key)
        .where((row) => row.or([row('last_used_at', 'is', null), row('last_used_at', '<=', now - MINUTE)]))
        .execute(),
    )
  } catch (error) {
    log.warn({ err: error }, 'cannot store when an app was last used')
  }
}

const BEARER = /^Bearer +([A-Za-z0-9._~+/=-]+)$/i

export interface Bearer {
  readonly brandKey: number | null
  readonly actor: Actor
  readonly device: Device
  readonly scopes: readonly Scope[]
}

/** Read from the database for each request: a token ends at once with its family, its app, its session or its member. */
export async function bearerOf(deps: Deps, incoming: Incoming): Promise<Bearer> {
  const given = header(incoming, 'authorization')
  if (given === null) throw credentialsMissing()
  const token = BEARER.exec(given)?.[1]
  const bearer = token && (await (isSessionToken(token) ? memberBearer(deps, token) : appBearer(deps, token)))
  if (!bearer) throw invalidAccessToken()
  return bearer
}

async function appBearer(deps: Deps, token: string): Promise<Bearer | null> {
  const found = await findLiveAccess(deps.engine.db, tokenHash(deps.keys.token, token), deps.clock.now())
  if (!found) return null
  await noteUse(deps, { key: found.app_key, last_used_at: found.last_used_at })
  const actor = { kind: 'app', key: found.app_key, id: found.app_id } as const
  return { brandKey: found.brand_key, actor, device: found.device, scopes: scopesOf(found.scopes) }
}

/** The role is that of now, not of the moment at which the token was issued. */
async function memberBearer({ engine, keys, clock }: Deps, token: string): Promise<Bearer | null> {
  const found = await findLiveSessionToken(engine.db, tokenHash(keys.token, token), clock.now())
  if (!found) return null
  const { role, id, person_key: key, brand_key: brandKey } = found
  const device = deviceOfMember(keys.device, id)
  return { brandKey, actor: { kind: 'member', key, id, role }, device, scopes: SCOPES_OF_ROLE[role] }
}
