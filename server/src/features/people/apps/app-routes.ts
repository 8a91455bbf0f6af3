// features/people/apps: applications of a brand, and their keys.
import { z } from 'zod'
import { iso, isoOrNull } from '../../../base/clock.ts'
import { AppError } from '../../../base/errors.ts'
import { idOf, nameText, timestamp, uniqueList, uuid } from '../../../base/fields.ts'
import { SCOPES } from '../../../base/roles.ts'
import type { AppRow } from '../../../db/tables.ts'
import { type Route, route, writeOnce } from '../../../http/route.ts'
import type { Deps } from '../../deps.ts'
import { owner } from '../tokens/guards.ts'
import { scopesOf } from '../tokens/token-pairs.ts'
import {
  appSubject,
  appsPage,
  createApp,
  LONGEST_OVERLAP_SECONDS,
  ownedApp,
  refuseTooManyApps,
  revokeApp,
  rotateAppSecret,
} from './apps.ts'

const API_KEY_ID = 'tai_7Qm2xV9bT4cL0sZkWn8RfYh3'
const NAME = 'Website'

const appParams = z.object({ appId: idOf('app').toLowerCase().describe('The id of the app.') })

const name = nameText(1, 80).meta({ description: 'What people call the app.', examples: [NAME] })

const createAppBody = z
  .strictObject({
    name,
    scopes: uniqueList(z.enum(SCOPES), { least: 1, most: SCOPES.length }).meta({
      description: 'What the tokens of the app may do.',
      examples: [['view', 'vote']],
    }),
  })
  .meta({ id: 'AppCreate', description: 'An app to create.' })

const updateAppBody = z.strictObject({ name }).meta({ id: 'AppUpdate', description: 'The new name of an app.' })

const rotateAppBody = z
  .strictObject({
    overlapSeconds: z
      .int()
      .min(0)
      .max(LONGEST_OVERLAP_SECONDS)
      .default(0)
      .meta({ description: 'For how long the present secret still works, at most a day.', examples: [3_600] }),
  })
  .meta({ id: 'AppSecretRotation', description: 'For how long the present secret still works.' })

const shown = {
  appId: uuid.describe('The permanent id of the app.'),
  apiKeyId: z.string().meta({ description: 'The public half of its API key.', examples: [API_KEY_ID] }),
  name: z
    .string()
    .nullable()
    .meta({ description: 'What people call it; null if the operator made it without a name.', examples: [NAME] }),
  scopes: z.array(z.enum(SCOPES)).meta({ description: 'What its tokens may do.', examples: [['view', 'vote']] }),
  createdAt: timestamp.describe('When it was created.'),
  lastUsedAt: timestamp.nullable().describe('When it last made a request with one of its tokens, to the minute.'),
  revokedAt: timestamp.nullable().meta({ description: 'When it was revoked, or null.', examples: [null] }),
}

const app = z.object(shown).meta({ id: 'App', description: 'A program with an API key, without its secret.' })

const appWithSecret = z
  .object({
    ...shown,
    apiKeySecret: z.string().meta({
      description: 'The secret half of its API key. No other answer shows it: store it.',
      examples: ['5f3c'.repeat(16)],
    }),
  })
  .meta({ id: 'AppWithSecret', description: 'A program with its API key.' })

const presentApp = (row: AppRow): z.infer<typeof app> => ({
  appId: row.id,
  apiKeyId: row.api_key_id,
  name: row.name,
  scopes: scopesOf(row.scopes),
  createdAt: iso(row.created_at),
  lastUsedAt: isoOrNull(row.last_used_at),
  revokedAt: isoOrNull(row.revoked_at),
})

/** For owners alone: with a key, a program could otherwise make itself keys that outlive its own. */
export function appRoutes(deps: Deps): Route[] {
  const common = { tag: 'Tokens', guard: owner(deps), caching: 'private' } as const
  return [
    route({
      method: 'GET',
      path: '/brands/me/apps',
      name: 'listApps',
      ...common,
      summary: 'Your apps and their API keys, newest first',
      description: 'For owners. Revoked apps are included; secrets are not shown again.',
      isPaged: true,
      answers: { 200: { description: 'A page of apps.', schema: z.array(app) } },
      async handle({ identity, paging }) {
        const { rows, next } = await appsPage(deps.engine.db, identity.brandKey, paging)
        return { data: rows.map(presentApp), next }
      },
    }),

    writeOnce({
      method: 'POST',
      path: '/brands/me/apps',
      name: 'createApp',
      action: 'app.created',
      ...common,
      summary: 'Create an app with an API key',
      description:
        'For owners. Only this answer shows the secret: store it. A brand has at most 50 apps that are not revoked.',
      hasSecret: true,
      body: createAppBody,
      answers: { 201: { description: 'The new app, with its secret.', schema: appWithSecret } },
      async handle({ identity: { brandKey }, body }, tx) {
        await refuseTooManyApps(tx, brandKey)
        const { appId, apiKeySecret } = await createApp(tx, deps, { brandKey, ...body })
        const row = await ownedApp(tx, brandKey, appId)
        return { status: 201, data: { ...presentApp(row), apiKeySecret }, subject: appSubject(row) }
      },
    }),

    writeOnce({
      method: 'PATCH',
      path: '/brands/me/apps/{appId}',
      name: 'updateApp',
      action: 'app.updated',
      ...common,
      summary: 'Rename an app',
      description: 'For owners. The key and the tokens of the app stay as they are. A revoked app can be renamed too.',
      params: appParams,
      body: updateAppBody,
      answers: { 200: { description: 'The app after the change.', schema: app } },
      errors: ['NOT_FOUND'],
      async handle({ identity: { brandKey }, params, body: { name } }, tx) {
        const { key } = await ownedApp(tx, brandKey, params.appId)
        const renamed = tx.updateTable('apps').set({ name }).where('key', '=', key).returningAll()
        const row = await renamed.executeTakeFirstOrThrow()
        return { data: presentApp(row), subject: appSubject(row) }
      },
    }),

    writeOnce({
      method: 'DELETE',
      path: '/brands/me/apps/{appId}',
      name: 'revokeApp',
      action: 'app.revoked',
      ...common,
      summary: 'Revoke an app',
      description: 'For owners. Its key and all its tokens stop working at once. This cannot be undone.',
      params: appParams,
      answers: { 204: { description: 'Revoked.' } },
      errors: ['NOT_FOUND', 'APP_REVOKED'],
      async handle({ identity: { brandKey }, params, now }, tx) {
        const row = await ownedApp(tx, brandKey, params.appId)
        if (!(await revokeApp(tx, row.key, now))) throw new AppError('APP_REVOKED')
        return { status: 204, subject: appSubject(row) }
      },
    }),

    writeOnce({
      method: 'POST',
      path: '/brands/me/apps/{appId}/rotate-secret',
      name: 'rotateAppSecret',
      action: 'app.secret_rotated',
      ...common,
      summary: 'Rotate the secret of an app',
      description:
        'For owners. Only this answer shows the new secret. The present one works for `overlapSeconds` more, so that you can deploy the new one without a gap; a still earlier one ends at once. Tokens stay valid.',
      hasSecret: true,
      params: appParams,
      body: rotateAppBody,
      isBodyOptional: true,
      answers: { 200: { description: 'The app, with its new secret.', schema: appWithSecret } },
      errors: ['NOT_FOUND', 'APP_REVOKED'],
      async handle({ identity: { brandKey }, params, body: { overlapSeconds } }, tx) {
        const { key } = await ownedApp(tx, brandKey, params.appId)
        const rotated = await rotateAppSecret(deps, tx, { key, overlapSeconds })
        if (!rotated) throw new AppError('APP_REVOKED')
        const { row, apiKeySecret } = rotated
        return { data: { ...presentApp(row), apiKeySecret }, subject: appSubject(row) }
      },
    }),
  ]
}
