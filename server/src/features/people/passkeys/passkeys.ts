import { randomBytes } from 'node:crypto'
import type {
  AuthenticationResponseJSON,
  RegistrationResponseJSON,
  VerifyAuthenticationResponseOpts,
} from '@simplewebauthn/server'
import { MINUTE } from '../../../base/clock.ts'
import { invalidField, invalidPasskey, sessionRequired } from '../../../base/errors.ts'
import { newUuid } from '../../../base/ids.ts'
import { isSameSecret, keyedHash } from '../../../base/secrets.ts'
import type { Config } from '../../../config/config.ts'
import { newestFirst } from '../../../db/keyset.ts'
import type { Db, Tx } from '../../../db/store.ts'
import { transaction } from '../../../db/transaction.ts'
import { header, type Incoming } from '../../../http/incoming.ts'
import { isLoopback } from '../../../http/network.ts'
import type { Paging } from '../../../http/paging.ts'
import type { Deps } from '../../deps.ts'
import { lockPerson } from '../members.ts'
import { endSession, lockSession, type Session, startSession, worksForABrand } from '../sessions/sessions.ts'

export interface RelyingParty {
  readonly name: string
  readonly id: string
  readonly origins: string[]
}

/**
 * Passkeys belong to a host name, never to an address. On the machine itself that is `localhost`, with the port asked for.
 */
export function relyingParty({ publicUrl }: Pick<Config, 'publicUrl'>, incoming: Incoming): RelyingParty {
  const { hostname } = new URL(publicUrl)
  const name = 'Tossup'
  if (hostname !== 'localhost' && !isLoopback(hostname)) return { name, id: hostname, origins: [publicUrl] }
  const host = header(incoming, 'host') ?? ''
  const local = /^localhost(?::\d+)?$/.test(host) ? [`http://${host}`] : []
  return { name, id: 'localhost', origins: [publicUrl, ...local] }
}

const LIFE = 5 * MINUTE
const RANDOM_BYTES = 16
const TIME_BYTES = 6
const MAC_AT = RANDOM_BYTES + TIME_BYTES

type ChallengeDeps = Pick<Deps, 'keys' | 'clock'>

/** The purpose of a challenge: the registration of one session, or a sign-in of anybody. */
export type Purpose = `register ${string}` | 'sign in'

/** Carries its own end and a MAC, so that a request for one stores nothing. */
function newChallenge({ keys, clock }: ChallengeDeps, purpose: Purpose): Uint8Array<ArrayBuffer> {
  const end = Buffer.alloc(TIME_BYTES)
  end.writeUIntBE(clock.now() + LIFE, 0, TIME_BYTES)
  const content = Buffer.concat([randomBytes(RANDOM_BYTES), end])
  return new Uint8Array(Buffer.concat([content, macOf(keys.token, purpose, content)]))
}

/** True for a challenge of ours for this purpose that has not ended. Whether it was answered before, `useUp` tells. */
function isOurs({ keys, clock }: ChallengeDeps, purpose: Purpose, challenge: string): boolean {
  const bytes = Buffer.from(challenge, 'base64url')
  const content = bytes.subarray(0, MAC_AT)
  if (bytes.length <= MAC_AT || bytes.toString('base64url') !== challenge) return false
  return isSameSecret(bytes.subarray(MAC_AT), macOf(keys.token, purpose, content)) && endOf(bytes) > clock.now()
}

const macOf = (key: Uint8Array, purpose: Purpose, content: Buffer): Buffer =>
  keyedHash(key, Buffer.concat([Buffer.from(`passkey ${purpose} `), content])).subarray(0, RANDOM_BYTES)

const endOf = (bytes: Buffer): number => bytes.readUIntBE(RANDOM_BYTES, TIME_BYTES)

/** False if it was answered before. The row is kept until the challenge ends by itself. */
async function useUp({ keys }: Pick<Deps, 'keys'>, tx: Tx, challenge: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('used_challenges')
    .values({ hash: keyedHash(keys.token, challenge), expires_at: endOf(Buffer.from(challenge, 'base64url')) })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** The newest first. */
export const passkeysPage = (db: Db, personKey: number, paging: Paging) =>
  newestFirst(
    db,
    'passkeys',
    db.selectFrom('passkeys').select(['id', 'name', 'created_at', 'last_used_at']).where('person_key', '=', personKey),
    paging,
  )

interface Owned {
  readonly personKey: number
  readonly id: string
}

export const renamePasskey = (tx: Tx, { personKey, id, name }: Owned & { name: string }) =>
  tx
    .updateTable('passkeys')
    .set({ name })
    .where('person_key', '=', personKey)
    .where('id', '=', id)
    .returning(['id', 'name', 'created_at', 'last_used_at'])
    .executeTakeFirst()

/** Nothing if the person has no such passkey. */
export const removePasskey = (tx: Tx, { personKey, id }: Owned) =>
  tx.deleteFrom('passkeys').where('person_key', '=', personKey).where('id', '=', id).returning('key').executeTakeFirst()

/** The options for `navigator.credentials.get`: the same for everybody, so that they tell nothing of who has a passkey. */
export async function signInOptions(deps: Deps, party: RelyingParty) {
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server')
  return generateAuthenticationOptions({
    rpID: party.id,
    challenge: newChallenge(deps, 'sign in'),
    userVerification: 'required',
  })
}

/** Returns the secret of the new session's cookie. */
export async function signInWithPasskey(
  deps: Deps,
  presented: { party: RelyingParty; credential: unknown; current: Session | null; userAgent: string | null },
): Promise<string> {
  const response = presented.credential as AuthenticationResponseJSON
  const passkey = typeof response.id === 'string' ? await findPasskey(deps, response.id) : undefined
  if (!passkey) throw invalidPasskey()
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const { credential_id: id, public_key, counter } = passkey
  const credential = { id, publicKey: new Uint8Array(public_key), counter }
  const { challenge, result } = await verified(deps, { party: presented.party, purpose: 'sign in' }, (expected) =>
    verifyAuthenticationResponse({ ...expected, response, credential }),
  )
  return transaction(deps.engine, async (tx) => {
    if (!(await lockPerson(tx, passkey.person_key))) throw invalidPasskey()
    if (!(await useUp(deps, tx, challenge))) throw invalidPasskey()
    // The conditional write decides between two sign-ins with one counter, as of a copied key.
    const { numUpdatedRows } = await tx
      .updateTable('passkeys')
      .set({ counter: result.authenticationInfo.newCounter, last_used_at: deps.clock.now() })
      .where('key', '=', passkey.key)
      .where('counter', '=', passkey.counter)
      .executeTakeFirst()
    if (numUpdatedRows === 0n || !(await worksForABrand(tx, passkey.person_key))) throw invalidPasskey()
    if (presented.current) await endSession(tx, presented.current.sessionKey)
    return startSession(deps, tx, { personKey: passkey.person_key, userAgent: presented.userAgent })
  })
}

const findPasskey = ({ engine }: Pick<Deps, 'engine'>, credentialId: string) =>
  engine.db
    .selectFrom('passkeys')
    .select(['key', 'person_key', 'credential_id', 'public_key', 'counter'])
    .where('credential_id', '=', credentialId)
    .executeTakeFirst()

/** The library throws for each thing that is wrong, a counter that went back among them: to the caller they are all one. */
async function verified<Result extends { verified: boolean }>(
  deps: Deps,
  { party, purpose }: { party: RelyingParty; purpose: Purpose },
  verify: (expected: Omit<VerifyAuthenticationResponseOpts, 'response' | 'credential'>) => Promise<Result>,
): Promise<{ challenge: string; result: Result }> {
  let challenge = ''
  const result = await verify({
    expectedChallenge(given) {
      challenge = given
      return isOurs(deps, purpose, given)
    },
    expectedOrigin: party.origins,
    expectedRPID: party.id,
    requireUserVerification: true,
  }).catch(() => null)
  if (!result?.verified) throw invalidPasskey()
  return { challenge, result }
}

const MOST_PASSKEYS = 20

/** Bound to the session: a challenge of another session is refused. */
const purposeOf = ({ sessionId }: Session): Purpose => `register ${sessionId}`

/** The options for `navigator.credentials.create`. */
export async function registrationOptions(deps: Deps, session: Session, party: RelyingParty) {
  // Loaded at the first passkey: it parses every format of attestation, and few servers need it at once.
  const { generateRegistrationOptions } = await import('@simplewebauthn/server')
  const known = await deps.engine.db
    .selectFrom('passkeys')
    .select('credential_id')
    .where('person_key', '=', session.personKey)
    .execute()
  return generateRegistrationOptions({
    rpName: party.name,
    rpID: party.id,
    userName: session.email,
    userDisplayName: session.name ?? session.email,
    userID: new TextEncoder().encode(session.memberId),
    challenge: newChallenge(deps, purposeOf(session)),
    attestationType: 'none',
    excludeCredentials: known.map(({ credential_id }) => ({ id: credential_id })),
    // Discoverable, and with a finger or a PIN: a passkey is the only thing that signs in.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

export async function registerPasskey(
  deps: Deps,
  answered: { session: Session; party: RelyingParty; credential: unknown; name: string },
) {
  const { session, party, name } = answered
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const response = answered.credential as RegistrationResponseJSON
  const { challenge, result } = await verified(deps, { party, purpose: purposeOf(session) }, (expected) =>
    verifyRegistrationResponse({ ...expected, response }),
  )
  if (!result.registrationInfo) throw invalidPasskey()
  const { credential } = result.registrationInfo
  return transaction(deps.engine, async (tx) => {
    // If the session ended while the answer was verified, this passkey must be refused too.
    await lockPerson(tx, session.personKey)
    if (!(await lockSession(tx, session.sessionKey))) throw sessionRequired()
    if (!(await useUp(deps, tx, challenge))) throw invalidPasskey()
    const held = await tx.selectFrom('passkeys').select('key').where('person_key', '=', session.personKey).execute()
    if (held.length >= MOST_PASSKEYS) {
      throw invalidField('credential', 'too_many', `A person has at most ${MOST_PASSKEYS} passkeys. Remove one first.`)
    }
    const row = await tx
      .insertInto('passkeys')
      .values({
        id: newUuid(),
        person_key: session.personKey,
        credential_id: credential.id,
        public_key: Buffer.from(credential.publicKey),
        counter: credential.counter,
        transports: (credential.transports ?? []).join(' ').slice(0, 100),
        name,
        created_at: deps.clock.now(),
      })
      .onConflict((conflict) => conflict.column('credential_id').doNothing())
      .returning(['id', 'name', 'created_at'])
      .executeTakeFirst()
    if (!row) throw invalidPasskey()
    return row
  })
}
