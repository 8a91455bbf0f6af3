import type { Looks } from '../../../../embed/src/looks.ts'
import { iso, SECOND } from '../../base/clock.ts'
import { isSameSecret, keyedHash } from '../../base/secrets.ts'
import type { Deps } from '../deps.ts'
import { presentPublicPoll } from '../polls/present-poll.ts'
import { labelsOf, pollRows, withTallies } from '../polls/queries.ts'
import type { Subject } from './page.ts'
import { pollSubject } from './subjects.ts'

const HOUR = 3_600 * SECOND

export interface PreviewLink {
  readonly url: string
  readonly expiresAt: string
}

/** A link that shows a draft for an hour to everybody who has it. Nothing is stored. */
export function previewLink({ config, keys }: Deps, shortId: string, now: number): PreviewLink {
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
  return (looks) => pollSubject({ body: JSON.stringify({ data }), data }, looks, false)
}
