import { SECOND } from '../../../base/clock.ts'
import { newToken } from '../../../base/ids.ts'
import type { Db } from '../../../db/store.ts'
import type { Deps } from '../../deps.ts'
import { tokenHash } from './queries.ts'

/** Tells the access token of a person from that of an app, so that each is looked up in one table. */
const PREFIX = 'tsm_'

export const isSessionToken = (token: string): boolean => token.startsWith(PREFIX)

interface Issued {
  readonly accessToken: string
  readonly expiresIn: number
}

/** Issues an access token that acts for one brand, for as long as the session lives and the person is a member. */
export async function issueSessionToken(
  { config, keys, clock }: Pick<Deps, 'config' | 'keys' | 'clock'>,
  db: Db,
  { sessionKey, brandKey }: { sessionKey: number; brandKey: number },
): Promise<Issued> {
  const accessToken = newToken(PREFIX)
  const expiresIn = config.accessTokenSeconds
  await db
    .insertInto('session_tokens')
    .values({
      hash: tokenHash(keys.token, accessToken),
      session_key: sessionKey,
      brand_key: brandKey,
      expires_at: clock.now() + expiresIn * SECOND,
    })
    .execute()
  return { accessToken, expiresIn }
}

/** Nothing if the session has ended or the person is no member of the brand any more. */
export const findLiveSessionToken = (db: Db, hash: Uint8Array, now: number) =>
  db
    .selectFrom('session_tokens')
    .innerJoin('sessions', 'sessions.key', 'session_tokens.session_key')
    .innerJoin('members', (join) =>
      join
        .onRef('members.person_key', '=', 'sessions.person_key')
        .onRef('members.brand_key', '=', 'session_tokens.brand_key'),
    )
    .innerJoin('people', 'people.key', 'sessions.person_key')
    .select(['members.person_key', 'members.brand_key', 'members.role', 'people.id'])
    .where('session_tokens.hash', '=', hash)
    .where('session_tokens.expires_at', '>', now)
    .where('sessions.expires_at', '>', now)
    .executeTakeFirst()

/** False if there is no such token. */
export async function revokeSessionToken(db: Db, hash: Uint8Array): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('session_tokens').where('hash', '=', hash).executeTakeFirst()
  return numDeletedRows > 0n
}
