import { iso, isoOrNull } from '../../base/clock.ts'
import { PlainFailure } from '../../base/errors.ts'
import { nameOrNull } from '../../base/fields.ts'
import { SCOPES, type Scope } from '../../base/roles.ts'
import { counted } from '../../base/text.ts'
import type { Db } from '../../db/store.ts'
import type { AppRow } from '../../db/tables.ts'
import {
  appSubject,
  createApp,
  findApp,
  LONGEST_OVERLAP_SECONDS,
  listApps,
  revokeApp,
  rotateAppSecret,
} from '../../features/people/apps/apps.ts'
import { isScope, scopesOf } from '../../features/people/tokens/token-pairs.ts'
import { type Command, optionalText, requiredArgument, requiredText, UsageError, wholeNumber } from '../command.ts'
import { brandNamed, operatorWrite, withDatabase } from '../with-database.ts'

export const appCreate: Command = {
  words: 'app create',
  usage: `[--brand SLUG] [--name NAME] --scopes ${SCOPES.join(',')}`,
  summary: 'Create an app and print its API key once',
  options: {
    brand: { type: 'string', about: 'The slug of the brand for which the app acts' },
    name: { type: 'string', about: 'Its name for people; none by default' },
    scopes: { type: 'string', about: 'What the app may do, comma-separated' },
  },
  run(given) {
    const scopes = readScopes(requiredText(given, 'scopes'))
    const brand = optionalText(given, 'brand')
    const name = readName(optionalText(given, 'name'))
    const tooMuch = scopes.filter((scope) => scope === 'manage' || scope === 'analytics')
    if (brand === null && tooMuch.length > 0) {
      throw new UsageError(`An app without a brand can hold only view and vote, not ${tooMuch.join(', ')}.`)
    }
    return withDatabase(async (deps) => {
      const app = await operatorWrite(deps, 'app.created', async (tx) => {
        const brandKey = brand === null ? null : (await brandNamed(tx, brand)).key
        const made = await createApp(tx, deps, { brandKey, scopes, name })
        const subject = appSubject({ id: made.appId, name, api_key_id: made.apiKeyId })
        return { result: made, brandKey, subject }
      })
      const text = [
        `Created the app ${app.appId} with the scopes ${app.scopes.join(', ')}.`,
        'Store the key now: the secret is not shown again.',
        `  X-API-Key-ID:     ${app.apiKeyId}`,
        `  X-API-Key-Secret: ${app.apiKeySecret}`,
      ]
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
        name: app.name,
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
      return { json: { apps }, text: lines.length === 0 ? 'There are no apps.' : lines }
    }),
}

export const appRevoke: Command = {
  words: 'app revoke',
  usage: 'APP_ID_OR_KEY_ID',
  summary: 'Revoke an app: its key and all its tokens stop working at once',
  positionals: 1,
  run(given) {
    const id = requiredArgument(given, 'APP_ID_OR_KEY_ID')
    return withDatabase(async (deps) => {
      const { revoked_at } = await appNamed(deps.engine.db, id)
      if (revoked_at === null) {
        await operatorWrite(deps, 'app.revoked', async (tx) => {
          const app = await appNamed(tx, id)
          if (!(await revokeApp(tx, app.key, deps.clock.now()))) throw new PlainFailure('This app was just revoked.')
          return { result: null, brandKey: app.brand_key, subject: appSubject(app) }
        })
      }
      return { json: { revoked: true, app: id }, text: `Revoked ${id}.` }
    })
  },
}

export const appRotate: Command = {
  words: 'app rotate',
  usage: 'APP_ID_OR_KEY_ID [--overlap SECONDS]',
  summary: 'Give an app a new secret and print it once; the present one works for SECONDS more (0 to 86400, default 0)',
  positionals: 1,
  options: { overlap: { type: 'string', about: 'For how many seconds the present secret works too' } },
  run(given) {
    const id = requiredArgument(given, 'APP_ID_OR_KEY_ID')
    const overlap = optionalText(given, 'overlap') ?? '0'
    const overlapSeconds = wholeNumber('overlap', overlap, { least: 0, most: LONGEST_OVERLAP_SECONDS })
    return withDatabase(async (deps) => {
      const { row, apiKeySecret } = await operatorWrite(deps, 'app.secret_rotated', async (tx) => {
        const { key } = await appNamed(tx, id)
        const rotated = await rotateAppSecret(deps, tx, { key, overlapSeconds })
        if (!rotated) throw new PlainFailure('This app is revoked. Create another one.')
        return { result: rotated, brandKey: rotated.row.brand_key, subject: appSubject(rotated.row) }
      })
      const rotated = { appId: row.id, apiKeyId: row.api_key_id, apiKeySecret }
      const text = [
        overlapSeconds > 0
          ? `Rotated ${rotated.appId}. The present secret works for ${counted(overlapSeconds, 'second')} more.`
          : `Rotated ${rotated.appId}. The old secret no longer works.`,
        'Store the secret now: it is not shown again.',
        `  X-API-Key-ID:     ${rotated.apiKeyId}`,
        `  X-API-Key-Secret: ${rotated.apiKeySecret}`,
      ]
      return { json: rotated, text }
    })
  },
}

async function appNamed(db: Db, id: string): Promise<AppRow> {
  const app = await findApp(db, id)
  if (!app) throw new PlainFailure('No app has this id or key id.')
  return app
}

function readName(given: string | null): string | null {
  if (given === null) return null
  const name = nameOrNull(given)
  if (name === null) throw new UsageError('--name must be one line of 1 to 80 characters.')
  return name
}

function readScopes(list: string): Scope[] {
  const names = list.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !isScope(name))
  if (unknown !== undefined) throw new UsageError(`"${unknown}" is not a scope. Scopes: ${SCOPES.join(', ')}.`)
  return names.filter(isScope)
}
