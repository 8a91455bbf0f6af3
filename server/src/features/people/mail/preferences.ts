import { z } from 'zod'
import { LANGS, type Lang } from '../../../../../embed/src/words.ts'
import { DAY, HOUR } from '../../../base/clock.ts'
import { invalidAccessToken } from '../../../base/errors.ts'
import { isSameSecret, keyedHash } from '../../../base/secrets.ts'
import type { Db, Tx } from '../../../db/store.ts'
import { preferredLang } from '../../../http/answers/negotiate.ts'
import { header } from '../../../http/incoming.ts'
import { type Route, route, writeOnce } from '../../../http/route.ts'
import type { Deps } from '../../deps.ts'
import { person } from '../tokens/guards.ts'

/** Who gets the mails, and about which brand: public ids. */
interface Subscription {
  readonly memberId: string
  readonly brandId: string
}

const ID_BYTES = 16
const MAC_BYTES = 16

/** The purpose keeps the hash apart from those of access tokens, which the key is for. */
const macOf = ({ token }: Deps['keys'], ids: Uint8Array): Uint8Array =>
  keyedHash(token, Buffer.concat([Buffer.from('stop mails '), ids])).subarray(0, MAC_BYTES)

/** Works without a session and for as long as the mail is kept, and ends mails only. */
export function stopLink({ keys, config }: Pick<Deps, 'keys' | 'config'>, { memberId, brandId }: Subscription): string {
  const ids = Buffer.from((memberId + brandId).replaceAll('-', ''), 'hex')
  return `${config.publicUrl}/mail/stop/${Buffer.concat([ids, macOf(keys, ids)]).toString('base64url')}`
}

/** Null for a token that is not ours. */
export function readStopToken(keys: Deps['keys'], token: string): Subscription | null {
  const bytes = Buffer.from(token, 'base64url')
  const ids = bytes.subarray(0, 2 * ID_BYTES)
  if (bytes.byteLength !== 2 * ID_BYTES + MAC_BYTES || !isSameSecret(bytes.subarray(2 * ID_BYTES), macOf(keys, ids)))
    return null
  return { memberId: uuidOf(ids.subarray(0, ID_BYTES)), brandId: uuidOf(ids.subarray(ID_BYTES)) }
}

const uuidOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

/** Ends every mail to the member about the brand. A member who has left gets none anyway. */
export async function stopMails(tx: Tx, { memberId, brandId }: Subscription): Promise<void> {
  await tx
    .updateTable('members')
    .set({ is_mailed_closed: 0, is_mailed_first: 0, is_mailed_round: 0, digest_at: null })
    .where('brand_key', '=', ({ selectFrom }) => selectFrom('brands').select('key').where('id', '=', brandId))
    .where('person_key', '=', ({ selectFrom }) => selectFrom('people').select('key').where('id', '=', memberId))
    .execute()
}

const kind = (description: string) => ({ description, examples: [true] })

const about = {
  pollClosed: kind('A mail when a poll closes, with its result.'),
  firstVote: kind('A mail when a poll gets its first vote.'),
  roundNumbers: kind('A mail when a poll reaches 100, 1,000, 10,000 votes and so on.'),
  weeklyDigest: kind('A mail each Monday with the numbers of the last seven days; none for a week without votes.'),
}

const lang = z.enum(LANGS).meta({ description: 'The language of the mails.', examples: ['en'] })

const preferences = z
  .object({
    pollClosed: z.boolean().meta(about.pollClosed),
    firstVote: z.boolean().meta(about.firstVote),
    roundNumbers: z.boolean().meta(about.roundNumbers),
    weeklyDigest: z.boolean().meta(about.weeklyDigest),
    lang,
    available: z.boolean().meta({
      description: 'False while the operator has not set `SMTP_URL`: then nothing is mailed.',
      examples: [true],
    }),
  })
  .meta({ id: 'MailPreferences', description: 'What a member is mailed about a brand.' })

const preferencesBody = z
  .strictObject({
    pollClosed: z.boolean().optional().meta(about.pollClosed),
    firstVote: z.boolean().optional().meta(about.firstVote),
    roundNumbers: z.boolean().optional().meta(about.roundNumbers),
    weeklyDigest: z.boolean().optional().meta(about.weeklyDigest),
    lang: lang.optional().describe('The language of the mails. Default: the one that `Accept-Language` prefers.'),
  })
  .meta({ id: 'MailPreferencesUpdate', description: 'The mails to turn on or off.' })

interface Membership {
  readonly brandKey: number
  readonly personKey: number
}

const rowOf = (db: Db, { brandKey, personKey }: Membership) =>
  db
    .selectFrom('members')
    .select(['is_mailed_closed', 'is_mailed_first', 'is_mailed_round', 'mail_lang', 'digest_at'])
    .where('brand_key', '=', brandKey)
    .where('person_key', '=', personKey)
    .executeTakeFirstOrThrow(() => invalidAccessToken())

async function preferencesOf(db: Db, { config }: Pick<Deps, 'config'>, of: Membership) {
  const row = await rowOf(db, of)
  return {
    pollClosed: row.is_mailed_closed === 1,
    firstVote: row.is_mailed_first === 1,
    roundNumbers: row.is_mailed_round === 1,
    weeklyDigest: row.digest_at !== null,
    lang: row.mail_lang as Lang,
    available: config.smtpUrl !== null,
  }
}

const WEEK = 7 * DAY
/** 08:00 UTC on a Monday: the first day of 1970 was a Thursday. */
const FIRST_DIGEST = 4 * DAY + 8 * HOUR

export const lastDigestTime = (now: number): number => now - ((now - FIRST_DIGEST) % WEEK)

export const nextDigestTime = (now: number): number => lastDigestTime(now) + WEEK

type Preferences = z.infer<typeof preferencesBody>

/** The columns that a body changes. */
function columnsOf({ pollClosed, firstVote, roundNumbers, weeklyDigest }: Preferences, digestAt: number) {
  const flag = (isOn: boolean): 0 | 1 => (isOn ? 1 : 0)
  return {
    ...(pollClosed === undefined ? {} : { is_mailed_closed: flag(pollClosed) }),
    ...(firstVote === undefined ? {} : { is_mailed_first: flag(firstVote) }),
    ...(roundNumbers === undefined ? {} : { is_mailed_round: flag(roundNumbers) }),
    ...(weeklyDigest === undefined ? {} : { digest_at: weeklyDigest ? digestAt : null }),
  }
}

export function mailPreferenceRoutes(deps: Deps): Route[] {
  const common = {
    tag: 'People',
    guard: person(deps),
    caching: 'private',
    path: '/brands/me/mail-preferences',
  } as const
  return [
    route({
      method: 'GET',
      name: 'getMailPreferences',
      ...common,
      summary: 'Your mails about your brand',
      description: 'For people only: each member has preferences of their own for each brand. All are off at first.',
      answers: { 200: { description: 'Your preferences.', schema: preferences } },
      async handle({ identity: { brandKey, actor } }) {
        return { data: await preferencesOf(deps.engine.db, deps, { brandKey, personKey: actor.key }) }
      },
    }),

    writeOnce({
      method: 'PATCH',
      name: 'updateMailPreferences',
      ...common,
      summary: 'Turn mails about your brand on or off',
      description:
        'Changes only the fields in the body. Several news of polls within 15 minutes are one mail. Every mail has a link that ends all mails about the brand.',
      action: 'member.updated',
      body: preferencesBody,
      answers: { 200: { description: 'Your preferences after the change.', schema: preferences } },
      async handle({ identity: { brandKey, actor }, body, incoming, now }, tx) {
        const of = { brandKey, personKey: actor.key }
        const { digest_at, mail_lang } = await rowOf(tx, of)
        const accepted = header(incoming, 'accept-language')
        const known = accepted === null ? mail_lang : preferredLang(accepted)
        await tx
          .updateTable('members')
          .set({ ...columnsOf(body, digest_at ?? nextDigestTime(now)), mail_lang: body.lang ?? known })
          .where('brand_key', '=', brandKey)
          .where('person_key', '=', actor.key)
          .execute()
        await deps.changes.webhooks(tx, brandKey)
        return { data: await preferencesOf(tx, deps, of), subject: null }
      },
    }),
  ]
}
