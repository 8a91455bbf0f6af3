import { z } from 'zod'
import type { Looks } from '../../../../embed/src/theme/looks.ts'
import { iso, SECOND } from '../../base/clock.ts'
import { orNotFound } from '../../base/errors.ts'
import { timestamp, url } from '../../base/fields.ts'
import { isSameSecret, keyedHash } from '../../base/secrets.ts'
import { pollParams } from '../../events/resources/poll.ts'
import { type Route, route } from '../../http/route.ts'
import type { Deps } from '../deps.ts'
import { brandScope } from '../people/tokens/guards.ts'
import { presentPublicPoll } from '../polls/present-poll.ts'
import { findOwnedPoll, labelsOf, pollRows, withTallies } from '../polls/queries.ts'
import { pollSubject } from './find-subjects.ts'
import type { Subject } from './page.ts'

const HOUR = 3_600 * SECOND

/** A link that shows a draft for an hour to everybody who has it. Nothing is stored. */
function previewLink({ config, keys }: Deps, shortId: string, now: number) {
  const expiresAt = now + HOUR
  const url = `${config.publicUrl}/p/${shortId}?preview=${expiresAt.toString(36)}.${signatureOf(keys, shortId, expiresAt)}`
  return { url, expiresAt: iso(expiresAt) }
}

const signatureOf = ({ preview }: Deps['keys'], shortId: string, expiresAt: number): string =>
  keyedHash(preview, `${shortId} ${expiresAt}`).toString('base64url')

const TOKEN = /^([0-9a-z]{1,10})\.([\w-]{43})$/

/** Checked before the database is asked, so that a wrong token costs what a missing poll does. */
function isValid(keys: Deps['keys'], { shortId, token, now }: PreviewRequest): boolean {
  const [, end = '', signature = ''] = TOKEN.exec(token) ?? []
  const expiresAt = Number.parseInt(end, 36)
  if (!(expiresAt > now)) return false
  return isSameSecret(Buffer.from(signature), Buffer.from(signatureOf(keys, shortId, expiresAt)))
}

interface PreviewRequest {
  readonly shortId: string
  readonly token: string
  readonly now: number
}

/** The draft as its page will be; null if the token is not of this poll, or too old, or the poll is no draft. */
export async function findDraft(deps: Deps, asked: PreviewRequest): Promise<((looks: Looks) => Subject) | null> {
  if (!isValid(deps.keys, asked)) return null
  const { db } = deps.engine
  const drafts = pollRows(db).where('polls.short_id', '=', asked.shortId).where('polls.is_draft', '=', 1)
  const row = await withTallies(db, drafts).executeTakeFirst()
  if (!row) return null
  const labels = await labelsOf(db, [row.key])
  const data = presentPublicPoll(row, labels(row.key), { deps, viewer: 'public', now: asked.now })
  return (looks) => pollSubject({ body: JSON.stringify({ data }), data }, looks, { isListed: false })
}

const link = z
  .object({
    url: url.meta({
      description: 'The page of the poll, with a signature.',
      examples: [
        'https://polls.example.com/p/Xk3_pQ9vZ2Lm?preview=mhk2q9o0.q3Zk0d1nYw8vT5mBq3Zk0d1nYw8vT5mBq3Zk0d1nYw8',
      ],
    }),
    expiresAt: timestamp.meta({
      description: 'When the link stops showing the draft.',
      examples: ['2026-01-31T13:00:00.000Z'],
    }),
  })
  .meta({ id: 'PollPreview', description: 'A link that shows a draft.' })

export const previewRoutes = (deps: Deps): Route[] => [
  route({
    method: 'GET',
    path: '/brands/me/polls/{slug}/preview',
    name: 'getPollPreview',
    tag: 'Polls',
    summary: 'A link that shows a draft for an hour',
    description:
      'Everybody who has the link sees the poll as its page will be. No cache and no search engine keeps the page, and votes on a draft are refused. Once the poll is published, the link shows its page.',
    guard: brandScope(deps, 'manage'),
    caching: 'private',
    params: pollParams,
    answers: { 200: { description: 'The link.', schema: link } },
    errors: ['NOT_FOUND'],
    async handle({ identity, params, now }) {
      const row = orNotFound(await findOwnedPoll(deps.engine.db, identity.brandKey, params.slug))
      return { data: previewLink(deps, row.short_id, now) }
    },
  }),
]
