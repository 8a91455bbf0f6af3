import { invalidScope } from '../../../base/errors.ts'
import type { AppRow } from '../../../db/tables.ts'
import { transaction } from '../../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { deviceOfApp } from './device.ts'
import { FAMILY_LIFE, issueTokens } from './issue-tokens.ts'
import { scopesOf, storedScopes, type TokenPair } from './schema.ts'

interface Request {
  readonly app: AppRow
  readonly externalDeviceId: string
  readonly scopes: readonly string[] | undefined
}

/** Starts a token family for one device of an app. */
export async function exchangeKey(deps: Deps, { app, externalDeviceId, scopes }: Request): Promise<TokenPair> {
  const held = scopesOf(app.scopes)
  const foreign = scopes?.filter((name) => !held.some((scope) => scope === name)) ?? []
  if (foreign.length > 0) throw invalidScope(foreign)
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
        revoked_at: null,
      })
      .returning('key')
      .executeTakeFirstOrThrow()
    return issueTokens(deps, tx, { key, scopes: granted, expiresAt })
  })
}
