import { z } from 'zod'
import { iso, isoOrNull } from '../../base/clock.ts'
import { idOf, instant, timestamp, url, uuid } from '../../base/fields.ts'
import type { ResultsLinkRow } from './results-links.ts'

const END = '2026-03-01T00:00:00.000Z'

/** Beside the parameter of the poll or the campaign. */
export const ofLink = { linkId: idOf('link').toLowerCase().describe('The id of the link.') }

export const resultsLinkBody = z
  .strictObject({
    expiresAt: instant
      .nullable()
      .default(null)
      .meta({
        description: 'When the link stops working, in the future; null for a link that works until you end it.',
        examples: [END],
      }),
  })
  .meta({ id: 'ResultsLinkCreate', description: 'How long the link works.' })

export const resultsLink = z
  .object({
    linkId: uuid.describe('The id of the link.'),
    expiresAt: timestamp.nullable().meta({
      description: 'When the link stops working, or null.',
      examples: [END],
    }),
    createdAt: timestamp.describe('When the link was made.'),
  })
  .meta({ id: 'ResultsLink', description: 'A link to results for people without an account, without its address.' })

export const resultsLinkWithUrl = resultsLink
  .extend({
    url: url.meta({
      description: 'The address of the page. No other answer shows it: store it.',
      examples: ['https://polls.example.com/r/tsv_1lVbG4yq0TnJ8Zc3wK5uQe7RsX2aDfHm9PiLoNvYx6E'],
    }),
  })
  .meta({ id: 'ResultsLinkWithUrl', description: 'A link to results for people without an account.' })

export const presentResultsLink = (row: ResultsLinkRow): z.infer<typeof resultsLink> => ({
  linkId: row.id,
  expiresAt: isoOrNull(row.expires_at),
  createdAt: iso(row.created_at),
})
