import { z } from 'zod'
import { DAY, SECOND } from '../../../base/clock.ts'
import { AppError } from '../../../base/errors.ts'
import { count } from '../../../base/fields.ts'
import { isDeviceId, isUuid, newToken } from '../../../base/ids.ts'
import { SCOPES, type Scope } from '../../../base/roles.ts'
import type { Tx } from '../../../db/store.ts'
import type { AppRow } from '../../../db/tables.ts'
import { transaction } from '../../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { deviceOfApp } from './device.ts'
import { findRefresh, isLiveFamily, revokeFamily, tokenHash } from './queries.ts'
import { refreshOnce } from './refresh-once.ts'

const ACCESS_TOKEN = 'tsa_1lVbG4yq0TnJ8Zc3wK5uQe7RsX2aDfHm9PiLoNvYx6E'
const REFRESH_TOKEN = 'tsr_8sWq2ZkYx0PfLhV5nTgJ3cRb7MdUa9EoKiXw4HlQv1S'

export const exchangeBody = z
  .strictObject({
    externalDeviceId: z
      .string()
      .min(1)
      .max(255)
      .refine((id) => !isUuid(id) || isDeviceId(id), 'A UUID must be that of the device: not nil, not max.')
      .meta({
        description: 'Your own id of the device that the tokens are for. One id is one device, with one vote per poll.',
        examples: ['customer-4711'],
      }),
    scopes: z
      .array(z.string().max(40))
      .min(1)
      .max(20)
      .optional()
      .meta({ description: 'The scopes of the tokens. Default: every scope of the app.', examples: [['vote']] }),
  })
  .meta({ id: 'TokenExchange', description: 'The device that the tokens are issued for, and their scopes.' })

export const refreshBody = z
  .strictObject({
    refreshToken: z
      .string()
      .min(1)
      .max(512)
      .meta({ description: 'The refresh token of the last pair. It works once.', examples: [REFRESH_TOKEN] }),
  })
  .meta({ id: 'TokenRefresh', description: 'The token to rotate.' })

export const revokeBody = z
  .strictObject({
    token: z
      .string()
      .min(1)
      .max(512)
      .meta({
        description: 'An access token or a refresh token. All tokens of its family are revoked.',
        examples: [REFRESH_TOKEN],
      }),
  })
  .meta({ id: 'TokenRevoke', description: 'The token to revoke.' })

export const tokenPair = z
  .object({
    accessToken: z.string().meta({
      description: 'Send it in the header `Authorization: Bearer …`.',
      examples: [ACCESS_TOKEN],
    }),
    refreshToken: z.string().meta({
      description: 'Exchange it once, at `POST /auth/token/refresh`, for the next pair.',
      examples: [REFRESH_TOKEN],
    }),
    expiresIn: count.meta({ description: 'The lifetime of the access token in seconds.', examples: [900] }),
    tokenType: z.literal('Bearer').describe('Always `Bearer`.'),
    scopes: z.array(z.enum(SCOPES)).meta({ description: 'The scopes of the tokens.', examples: [['view', 'vote']] }),
  })
  .meta({ id: 'TokenPair', description: 'An access token, and the refresh token to get the next pair.' })

type TokenPair = z.infer<typeof tokenPair>

export const revoked = z.object({ revoked: z.literal(true).describe('Always true, even for an unknown token.') })

export const isScope = (name: string): name is Scope => SCOPES.some((scope) => scope === name)

export const scopesOf = (stored: string): Scope[] => stored.split(' ').filter(isScope)

export const storedScopes = (scopes: readonly Scope[]): string => SCOPES.filter((s) => scopes.includes(s)).join(' ')

const IDLE = 30 * DAY
const FAMILY_LIFE = 90 * DAY

/** Issues a token pair of a family. Neither token outlives the family. */
async function issueTokens(
  deps: Deps,
  tx: Tx,
  family: { key: number; scopes: Scope[]; expiresAt: number },
): Promise<TokenPair> {
  const now = deps.clock.now()
  const accessToken = newToken('tsa_')
  const refreshToken = newToken('tsr_')
  const accessExpiresAt = Math.min(now + deps.config.accessTokenSeconds * SECOND, family.expiresAt)
  await tx
    .insertInto('access_tokens')
    .values({ hash: tokenHash(deps.keys.token, accessToken), family_key: family.key, expires_at: accessExpiresAt })
    .execute()
  await tx
    .insertInto('refresh_tokens')
    .values({
      hash: tokenHash(deps.keys.token, refreshToken),
      family_key: family.key,
      expires_at: Math.min(now + IDLE, family.expiresAt),
    })
    .execute()
  return {
    accessToken,
    refreshToken,
    expiresIn: Math.floor((accessExpiresAt - now) / SECOND),
    tokenType: 'Bearer',
    scopes: family.scopes,
  }
}

/** Null when the token is refused; a reused one revokes its whole family. */
export function rotateTokens(deps: Deps, token: string): Promise<TokenPair | null> {
  const { engine, clock, keys } = deps
  return transaction(engine, async (tx) => {
    const now = clock.now()
    const row = await findRefresh(tx, tokenHash(keys.token, token))
    if (!row || !isLiveFamily(row, now) || row.expires_at <= now) return null
    const family = { key: row.family_key, scopes: scopesOf(row.scopes), expiresAt: row.family_expires_at }
    const presented = { table: 'refresh_tokens', token, key: keys.token, now } as const
    const refreshed = await refreshOnce(tx, presented, async () => {
      const pair = await issueTokens(deps, tx, family)
      return [pair, pair.refreshToken]
    })
    if (!refreshed) {
      await revokeFamily(tx, row.family_key, now)
      return null
    }
    const { pair, ageSeconds } = refreshed
    return { ...pair, expiresIn: Math.max(0, pair.expiresIn - ageSeconds) }
  })
}

/** Starts a token family for one device of an app. */
export async function exchangeKey(
  deps: Deps,
  { app, externalDeviceId, scopes }: { app: AppRow; externalDeviceId: string; scopes?: readonly string[] | undefined },
): Promise<TokenPair> {
  const held = scopesOf(app.scopes)
  const foreign = scopes?.filter((name) => !held.some((scope) => scope === name)) ?? []
  if (foreign.length > 0) throw new AppError('INVALID_SCOPE', { details: { scopes: foreign } })
  const granted = scopes ? held.filter((scope) => scopes.includes(scope)) : held
  const now = deps.clock.now()
  const expiresAt = now + FAMILY_LIFE
  return transaction(deps.engine, async (tx) => {
    const { key } = await tx
      .insertInto('token_families')
      .values({
        app_key: app.key,
        device: deviceOfApp(deps.keys.device, { appId: app.id, externalDeviceId }),
        scopes: storedScopes(granted),
        created_at: now,
        expires_at: expiresAt,
      })
      .returning('key')
      .executeTakeFirstOrThrow()
    return issueTokens(deps, tx, { key, scopes: granted, expiresAt })
  })
}
