import { iso, isoOrNull } from '../base/clock.ts'
import { PlainFailure } from '../base/errors.ts'
import { SCOPES, type Scope } from '../base/scopes.ts'
import type { Db } from '../db/store.ts'
import { transaction } from '../db/transaction.ts'
import { findBrand } from '../features/brands/queries.ts'
import { createApp, listApps, revokeApp } from '../features/tokens/apps.ts'
import { isScope, scopesOf } from '../features/tokens/schema.ts'
import { type Command, optionalText, requiredText, UsageError } from './command.ts'
import { withDatabase } from './with-database.ts'

export const appCreate: Command = {
  words: 'app create',
  usage: `[--brand SLUG] --scopes ${SCOPES.join(',')}`,
  summary: 'Create an app and show its API key, once',
  options: { brand: { type: 'string' }, scopes: { type: 'string' } },
  run(given) {
    const scopes = readScopes(requiredText(given, 'scopes'))
    const brand = optionalText(given, 'brand')
    const tooMuch = scopes.filter((scope) => scope === 'manage' || scope === 'analytics')
    if (brand === null && tooMuch.length > 0) {
      throw new UsageError(`An app without a brand may hold view and vote, not ${tooMuch.join(', ')}.`)
    }
    return withDatabase(async (deps) => {
      const app = await transaction(deps.engine, async (tx) => {
        const brandKey = brand === null ? null : await brandKeyOf(tx, brand)
        return createApp(tx, deps, { brandKey, scopes })
      })
      const text = [
        `Created the app ${app.appId} with the scopes ${app.scopes.join(', ')}.`,
        'Keep its key now: the secret is not shown again.',
        `  X-API-Key-ID:     ${app.apiKeyId}`,
        `  X-API-Key-Secret: ${app.apiKeySecret}`,
      ].join('\n')
      return { json: app, text }
    })
  },
}

export const appList: Command = {
  words: 'app list',
  usage: '',
  summary: 'List apps, without their secrets',
  run: () =>
    withDatabase(async ({ engine }) => {
      const apps = (await listApps(engine.db)).map((app) => ({
        appId: app.id,
        apiKeyId: app.api_key_id,
        brand: app.brand,
        scopes: scopesOf(app.scopes),
        createdAt: iso(app.created_at),
        revokedAt: isoOrNull(app.revoked_at),
      }))
      const lines = apps.map((app) =>
        [app.appId, app.apiKeyId, app.brand ?? '-', app.scopes.join(','), app.revokedAt ? 'revoked' : 'active'].join(
          '  ',
        ),
      )
      return { json: { apps }, text: lines.length === 0 ? 'There are no apps.' : lines.join('\n') }
    }),
}

export const appRevoke: Command = {
  words: 'app revoke',
  usage: 'APP_ID_OR_KEY_ID',
  summary: 'Revoke an app: its key and all its tokens stop working at once',
  positionals: 1,
  run({ positionals: [id] }) {
    if (!id) throw new UsageError('Name the app by its id or by its key id.')
    return withDatabase(async ({ engine, clock }) => {
      const isRevoked = await transaction(engine, (tx) => revokeApp(tx, id, clock.now()))
      if (!isRevoked) throw new PlainFailure('There is no such app.')
      return { json: { revoked: true, app: id }, text: `Revoked ${id}.` }
    })
  },
}

function readScopes(list: string): Scope[] {
  const names = list.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !isScope(name))
  if (unknown !== undefined) throw new UsageError(`"${unknown}" is not a scope. Scopes: ${SCOPES.join(', ')}.`)
  return names.filter(isScope)
}

async function brandKeyOf(db: Db, slug: string): Promise<number> {
  const brand = await findBrand(db, slug)
  if (!brand) throw new PlainFailure(`There is no brand ${slug}.`)
  return brand.key
}
