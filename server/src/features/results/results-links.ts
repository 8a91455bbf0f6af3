import { z } from 'zod'
import { iso, isoOrNull } from '../../base/clock.ts'
import { invalidField } from '../../base/errors.ts'
import { idOf, instant, timestamp, url, uuid } from '../../base/fields.ts'
import { newToken, newUuid } from '../../base/ids.ts'
import { newestFirst, type Slice } from '../../db/keyset.ts'
import type { Db, Tx } from '../../db/store.ts'
import type { Paging } from '../../http/paging.ts'
import type { Deps } from '../deps.ts'
import { tokenHash } from '../people/tokens/queries.ts'

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

const MOST_LINKS = 100

/** The poll or the campaign whose results a link shows. */
export type Shared =
  | { readonly column: 'poll_key'; readonly key: number }
  | { readonly column: 'campaign_key'; readonly key: number }

export interface ResultsLinkRow {
  readonly id: string
  readonly created_at: number
  readonly expires_at: number | null
}

const linksOf = (db: Db, { column, key }: Shared, now: number) =>
  db
    .selectFrom('results_links')
    .select(['id', 'created_at', 'expires_at'])
    .where(column, '=', key)
    .where(({ or, eb }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))

/** Those that still work, newest first. */
export const resultsLinksPage = (
  db: Db,
  shared: Shared,
  { paging, now }: { paging: Paging; now: number },
): Promise<Slice<ResultsLinkRow>> => newestFirst(db, 'results_links', linksOf(db, shared, now), paging)

/** Call it under the lock of the poll or campaign, so that the second of two concurrent calls counts the first. */
export async function createResultsLink(
  { clock, config, keys }: Pick<Deps, 'clock' | 'config' | 'keys'>,
  tx: Tx,
  { shared, expiresAt }: { shared: Shared; expiresAt: number | null },
): Promise<{ row: ResultsLinkRow; url: string }> {
  const now = clock.now()
  const live = await linksOf(tx, shared, now).limit(MOST_LINKS).execute()
  if (live.length >= MOST_LINKS)
    throw invalidField('', 'too_many_links', `At most ${MOST_LINKS} links to the same results work at a time.`)
  const token = newToken('tsv_')
  const row = { id: newUuid(), created_at: now, expires_at: expiresAt }
  await tx
    .insertInto('results_links')
    .values({ ...row, [shared.column]: shared.key, hash: tokenHash(keys.token, token) })
    .execute()
  return { row, url: `${config.publicUrl}/r/${token}` }
}

/** False if there is no such link. An expired one can be deleted too. */
export async function deleteResultsLink(tx: Tx, { column, key }: Shared, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('results_links')
    .where(column, '=', key)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export type OpenedLink = { readonly expiresAt: number | null } & (
  | { readonly pollKey: number }
  | { readonly pollKey: null; readonly brandKey: number; readonly campaignId: string }
)

/**
 * Null for a token that is malformed, unknown, ended or expired: each costs one hash and one look at an index. The poll or the
 * campaign may be deleted: its own queries find it no more.
 */
export async function openResultsLink({ engine, keys }: Deps, token: string, now: number): Promise<OpenedLink | null> {
  const row = await engine.db
    .selectFrom('results_links')
    .leftJoin('campaigns', 'campaigns.key', 'results_links.campaign_key')
    .select(['poll_key', 'results_links.expires_at', 'campaigns.id', 'campaigns.brand_key'])
    .where('hash', '=', tokenHash(keys.token, token))
    .where(({ or, eb }) => or([eb('results_links.expires_at', 'is', null), eb('results_links.expires_at', '>', now)]))
    .executeTakeFirst()
  if (!row) return null
  const { poll_key: pollKey, id: campaignId, brand_key: brandKey, expires_at: expiresAt } = row
  if (pollKey !== null) return { pollKey, expiresAt }
  return campaignId === null || brandKey === null ? null : { pollKey, brandKey, campaignId, expiresAt }
}
