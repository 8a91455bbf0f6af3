import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import { sql } from 'kysely'
import { invalidPasskey } from '../../../base/errors.ts'
import { keysetSlice } from '../../../db/keyset.ts'
import type { Db, Tx } from '../../../db/store.ts'
import { transaction } from '../../../db/transaction.ts'
import type { Paging } from '../../../http/paging.ts'
import type { Deps } from '../../deps.ts'
import { lockPerson } from '../lock-person.ts'
import { endSession, type Session, startSession, worksForABrand } from '../sessions/sessions.ts'
import { isOurs, newChallenge, type RelyingParty, useUp } from './challenge.ts'

/** The newest first. */
export const passkeysPage = (db: Db, personKey: number, { after, limit }: Paging) =>
  keysetSlice(
    db,
    db.selectFrom('passkeys').select(['id', 'name', 'created_at', 'last_used_at']).where('person_key', '=', personKey),
    { sort: sql`passkeys.created_at`, key: sql`passkeys.key`, direction: 'desc', after, limit },
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

/** False if the person has no such passkey. */
export async function removePasskey(tx: Tx, { personKey, id }: Owned): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('passkeys')
    .where('person_key', '=', personKey)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** The options for `navigator.credentials.get`: the same for everybody, so that they tell nothing of who has a passkey. */
export async function signInOptions(deps: Deps, party: RelyingParty) {
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server')
  return generateAuthenticationOptions({
    rpID: party.id,
    challenge: newChallenge(deps, 'sign in'),
    userVerification: 'required',
  })
}

interface Presented {
  readonly party: RelyingParty
  readonly credential: unknown
  readonly current: Session | null
  readonly userAgent: string | null
}

/** Returns the secret of the new session's cookie. */
export async function signInWithPasskey(deps: Deps, presented: Presented): Promise<string> {
  const response = presented.credential as AuthenticationResponseJSON
  const passkey = typeof response.id === 'string' ? await findPasskey(deps, response.id) : undefined
  if (!passkey) throw invalidPasskey()
  const { challenge, newCounter } = await verified(deps, { ...presented, passkey })
  return transaction(deps.engine, async (tx) => {
    if (!(await lockPerson(tx, passkey.person_key))) throw invalidPasskey()
    if (!(await useUp(deps, tx, challenge))) throw invalidPasskey()
    // The conditional write decides between two sign-ins with one counter, as of a copied key.
    const { numUpdatedRows } = await tx
      .updateTable('passkeys')
      .set({ counter: newCounter, last_used_at: deps.clock.now() })
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

type Passkey = NonNullable<Awaited<ReturnType<typeof findPasskey>>>

/** The library throws for each thing that is wrong, a counter that went back among them: to the caller they are all one. */
async function verified(deps: Deps, { party, credential, passkey }: Presented & { passkey: Passkey }) {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  let challenge = ''
  const result = await verifyAuthenticationResponse({
    response: credential as AuthenticationResponseJSON,
    expectedChallenge(given) {
      challenge = given
      return isOurs(deps, 'sign in', given)
    },
    expectedOrigin: party.origins,
    expectedRPID: party.id,
    credential: { id: passkey.credential_id, publicKey: new Uint8Array(passkey.public_key), counter: passkey.counter },
    requireUserVerification: true,
  }).catch(() => {
    throw invalidPasskey()
  })
  if (!result.verified) throw invalidPasskey()
  return { challenge, newCounter: result.authenticationInfo.newCounter }
}
