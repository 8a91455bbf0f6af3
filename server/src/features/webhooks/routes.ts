// features/webhooks: the webhooks of a brand and the log of their deliveries.
// Imports features: deliveries, tokens.
// Sending is the work of features/deliveries.

import { z } from 'zod'
import { notFound } from '../../base/errors.ts'
import type { Deps } from '../../deps.ts'
import { API_PREFIX, type Route, route, writeOnce } from '../../http/route.ts'
import { brandScope } from '../tokens/guards.ts'
import { createWebhook } from './create-webhook.ts'
import { deleteWebhook } from './delete-webhook.ts'
import { findOwnedWebhook, webhooksPage } from './queries.ts'
import { rotateSecret } from './rotate-secret.ts'
import {
  createWebhookBody,
  presentWebhook,
  updateWebhookBody,
  webhook,
  webhookParams,
  webhookTag,
  webhookWithSecret,
} from './schema.ts'
import { updateWebhook } from './update-webhook.ts'

export function webhookRoutes(deps: Deps): Route[] {
  const guard = brandScope(deps, 'manage')
  const { engine } = deps

  return [
    route({
      method: 'GET',
      path: '/brands/me/webhooks',
      name: 'listWebhooks',
      summary: 'Own webhooks, active and disabled, newest first, without their secrets',
      guard,
      caching: 'private',
      isPaged: true,
      answers: { 200: { description: 'A page of webhooks.', schema: z.array(webhook) } },
      async handle({ identity, paging }) {
        const { rows, next } = await webhooksPage(engine.db, identity.brandKey, paging)
        return { data: rows.map(presentWebhook), next }
      },
    }),

    writeOnce({
      method: 'POST',
      path: '/brands/me/webhooks',
      name: 'createWebhook',
      summary: 'Create a webhook; its secret is shown in this answer alone',
      guard,
      caching: 'private',
      body: createWebhookBody,
      hasSecret: true,
      answers: { 201: { description: 'The new webhook.', schema: webhookWithSecret } },
      etag: webhookTag,
      async handle({ identity: { brandKey }, body }, tx) {
        const { row, secret } = await createWebhook(deps, tx, { brandKey, webhook: body })
        return {
          status: 201,
          data: { ...presentWebhook(row), secret },
          location: `${API_PREFIX}/brands/me/webhooks/${row.id}`,
        }
      },
    }),

    route({
      method: 'GET',
      path: '/brands/me/webhooks/{id}',
      name: 'getWebhook',
      summary: 'An own webhook, without its secret',
      guard,
      caching: 'private',
      params: webhookParams,
      answers: { 200: { description: 'The webhook.', schema: webhook } },
      etag: webhookTag,
      errors: ['NOT_FOUND'],
      async handle({ identity, params }) {
        const row = await findOwnedWebhook(engine.db, identity.brandKey, params.id)
        if (!row) throw notFound()
        return { data: presentWebhook(row) }
      },
    }),

    writeOnce({
      method: 'PATCH',
      path: '/brands/me/webhooks/{id}',
      name: 'updateWebhook',
      summary: 'Update some fields of a webhook; events replaces the whole list',
      guard,
      caching: 'private',
      params: webhookParams,
      body: updateWebhookBody,
      answers: { 200: { description: 'The webhook as it now is.', schema: webhook } },
      etag: webhookTag,
      errors: ['NOT_FOUND'],
      async handle({ identity: { brandKey }, params, body, ifMatch }, tx) {
        const row = await updateWebhook(deps, tx, { brandKey, id: params.id, patch: body, ifMatch })
        return { data: presentWebhook(row) }
      },
    }),

    writeOnce({
      method: 'DELETE',
      path: '/brands/me/webhooks/{id}',
      name: 'deleteWebhook',
      summary: 'Delete a webhook and its deliveries for good',
      guard,
      caching: 'private',
      params: webhookParams,
      answers: { 204: { description: 'Deleted.' } },
      errors: ['NOT_FOUND'],
      async handle({ identity: { brandKey }, params }, tx) {
        await deleteWebhook(deps, tx, { brandKey, id: params.id })
        return { status: 204 }
      },
    }),

    writeOnce({
      method: 'POST',
      path: '/brands/me/webhooks/{id}/rotate-secret',
      name: 'rotateWebhookSecret',
      summary: 'Make a new secret; for 24 hours deliveries are signed with the one before as well',
      guard,
      caching: 'private',
      params: webhookParams,
      hasSecret: true,
      answers: { 200: { description: 'The webhook with its new secret.', schema: webhookWithSecret } },
      etag: webhookTag,
      errors: ['NOT_FOUND'],
      async handle({ identity: { brandKey }, params }, tx) {
        const { row, secret } = await rotateSecret(deps, tx, { brandKey, id: params.id })
        return { data: { ...presentWebhook(row), secret } }
      },
    }),
  ]
}
