// features/people/apps: applications of a brand, and their keys.
import { z } from 'zod'
import { notFound } from '../../../base/errors.ts'
import { type Route, route, writeOnce } from '../../../http/route.ts'
import type { Deps } from '../../deps.ts'
import { owner } from '../tokens/guards.ts'
import { app, appParams, appWithSecret, createAppBody, presentApp, rotateAppBody, updateAppBody } from './app-schema.ts'
import { appSubject, createApp, revokeApp } from './apps.ts'
import { appsPage, liveApp, refuseTooManyApps } from './owned-apps.ts'
import { rotateAppSecret } from './rotate-app-secret.ts'

/** For owners alone: with a key, a program could otherwise make itself keys that outlive its own. */
export function appRoutes(deps: Deps): Route[] {
  const guard = owner(deps)
  return [
    route({
      method: 'GET',
      path: '/brands/me/apps',
      name: 'listApps',
      tag: 'Tokens',
      summary: 'Your apps and their API keys, newest first',
      description: 'For owners. Revoked apps are included; secrets are not shown again.',
      guard,
      caching: 'private',
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
      tag: 'Tokens',
      summary: 'Create an app with an API key',
      description:
        'For owners. Only this answer shows the secret: store it. A brand has at most 50 apps that are not revoked.',
      guard,
      caching: 'private',
      hasSecret: true,
      body: createAppBody,
      answers: { 201: { description: 'The new app, with its secret.', schema: appWithSecret } },
      async handle({ identity: { brandKey }, body }, tx) {
        await refuseTooManyApps(tx, brandKey)
        const { appId, apiKeySecret } = await createApp(tx, deps, { brandKey, ...body })
        const row = await liveApp(tx, brandKey, appId)
        return { status: 201, data: { ...presentApp(row), apiKeySecret }, subject: appSubject(row) }
      },
    }),

    writeOnce({
      method: 'PATCH',
      path: '/brands/me/apps/{appId}',
      name: 'updateApp',
      action: 'app.updated',
      tag: 'Tokens',
      summary: 'Rename an app',
      description: 'For owners. The key and the tokens of the app stay as they are.',
      guard,
      caching: 'private',
      params: appParams,
      body: updateAppBody,
      answers: { 200: { description: 'The app after the change.', schema: app } },
      errors: ['NOT_FOUND'],
      async handle({ identity: { brandKey }, params, body: { name } }, tx) {
        const { key } = await liveApp(tx, brandKey, params.appId)
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
      tag: 'Tokens',
      summary: 'Revoke an app',
      description: 'For owners. Its key and all its tokens stop working at once. This cannot be undone.',
      guard,
      caching: 'private',
      params: appParams,
      answers: { 204: { description: 'Revoked.' } },
      errors: ['NOT_FOUND'],
      async handle({ identity: { brandKey }, params, now }, tx) {
        const row = await liveApp(tx, brandKey, params.appId)
        if (!(await revokeApp(tx, row.key, now))) throw notFound()
        return { status: 204, subject: appSubject(row) }
      },
    }),

    writeOnce({
      method: 'POST',
      path: '/brands/me/apps/{appId}/rotate-secret',
      name: 'rotateAppSecret',
      action: 'app.secret_rotated',
      tag: 'Tokens',
      summary: 'Rotate the secret of an app',
      description:
        'For owners. Only this answer shows the new secret. The present one works for `overlapSeconds` more, so that you can deploy the new one without a gap; a still earlier one ends at once. Tokens stay valid.',
      guard,
      caching: 'private',
      hasSecret: true,
      params: appParams,
      body: rotateAppBody,
      answers: { 200: { description: 'The app, with its new secret.', schema: appWithSecret } },
      errors: ['NOT_FOUND'],
      async handle({ identity: { brandKey }, params, body: { overlapSeconds } }, tx) {
        const { key } = await liveApp(tx, brandKey, params.appId)
        const rotated = await rotateAppSecret(deps, tx, { key, overlapSeconds })
        if (!rotated) throw notFound()
        const { row, apiKeySecret } = rotated
        return { data: { ...presentApp(row), apiKeySecret }, subject: appSubject(row) }
      },
    }),
  ]
}
