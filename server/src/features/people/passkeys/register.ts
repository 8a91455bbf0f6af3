import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import { invalidField, invalidPasskey, sessionRequired } from '../../../base/errors.ts'
import { newUuid } from '../../../base/ids.ts'
import type { Tx } from '../../../db/store.ts'
import { transaction } from '../../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { lockPerson } from '../lock-person.ts'
import { lockSession, type Session } from '../sessions/sessions.ts'
import { isOurs, newChallenge, type Purpose, type RelyingParty, useUp } from './challenge.ts'

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

interface Registered {
  readonly id: string
  readonly name: string
  readonly created_at: number
}

interface Answered {
  readonly session: Session
  readonly party: RelyingParty
  readonly credential: unknown
  readonly name: string
}

export async function registerPasskey(deps: Deps, answered: Answered): Promise<Registered> {
  const { session, name } = answered
  const { challenge, credential } = await verified(deps, answered)
  return transaction(deps.engine, async (tx) => {
    // If the session ended while the answer was verified, this passkey must be refused too.
    await lockPerson(tx, session.personKey)
    if (!(await lockSession(tx, session.sessionKey))) throw sessionRequired()
    if (!(await useUp(deps, tx, challenge))) throw invalidPasskey()
    if ((await countPasskeys(tx, session.personKey)) >= MOST_PASSKEYS) {
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
        last_used_at: null,
      })
      .onConflict((conflict) => conflict.column('credential_id').doNothing())
      .returning(['id', 'name', 'created_at'])
      .executeTakeFirst()
    if (!row) throw invalidPasskey()
    return row
  })
}

/** The library throws for each thing that is wrong: to the caller they are all one. */
async function verified(deps: Deps, { session, party, credential: response }: Answered) {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  let challenge = ''
  const result = await verifyRegistrationResponse({
    response: response as RegistrationResponseJSON,
    expectedChallenge(given) {
      challenge = given
      return isOurs(deps, purposeOf(session), given)
    },
    expectedOrigin: party.origins,
    expectedRPID: party.id,
    requireUserVerification: true,
  }).catch(() => {
    throw invalidPasskey()
  })
  if (!result.verified) throw invalidPasskey()
  return { challenge, credential: result.registrationInfo.credential }
}

async function countPasskeys(tx: Tx, personKey: number): Promise<number> {
  const rows = await tx.selectFrom('passkeys').select('key').where('person_key', '=', personKey).execute()
  return rows.length
}
