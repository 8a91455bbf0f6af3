import { z } from 'zod'
import { iso, isoOrNull } from '../../../base/clock.ts'
import { idOf, nameText, timestamp, uniqueList, uuid } from '../../../base/fields.ts'
import { SCOPES } from '../../../base/roles.ts'
import type { AppRow } from '../../../db/tables.ts'
import { scopesOf } from '../tokens/schema.ts'
import { LONGEST_OVERLAP_SECONDS } from './rotate-app-secret.ts'

const API_KEY_ID = 'tai_7Qm2xV9bT4cL0sZkWn8RfYh3'
const NAME = 'Website'

export const appParams = z.object({ appId: idOf('app').toLowerCase().describe('The id of the app.') })

const name = nameText(1, 80).meta({ description: 'What people call the app.', examples: [NAME] })

export const createAppBody = z
  .strictObject({
    name,
    scopes: uniqueList(z.enum(SCOPES), { least: 1, most: SCOPES.length }).meta({
      description: 'What the tokens of the app may do.',
      examples: [['view', 'vote']],
    }),
  })
  .meta({ id: 'AppCreate', description: 'An app to create.' })

export const updateAppBody = z.strictObject({ name }).meta({ id: 'AppUpdate', description: 'The new name of an app.' })

export const rotateAppBody = z
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

export const app = z.object(shown).meta({ id: 'App', description: 'A program with an API key, without its secret.' })

export const appWithSecret = z
  .object({
    ...shown,
    apiKeySecret: z.string().meta({
      description: 'The secret half of its API key. No other answer shows it: store it.',
      examples: ['5f3c'.repeat(16)],
    }),
  })
  .meta({ id: 'AppWithSecret', description: 'A program with its API key.' })

export const presentApp = (row: AppRow): z.infer<typeof app> => ({
  appId: row.id,
  apiKeyId: row.api_key_id,
  name: row.name,
  scopes: scopesOf(row.scopes),
  createdAt: iso(row.created_at),
  lastUsedAt: isoOrNull(row.last_used_at),
  revokedAt: isoOrNull(row.revoked_at),
})
