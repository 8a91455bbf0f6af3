import { randomBytes } from 'node:crypto'
import { MINUTE } from '../../../base/clock.ts'
import { isSameSecret, keyedHash } from '../../../base/secrets.ts'
import type { Config } from '../../../config/config.ts'
import type { Tx } from '../../../db/store.ts'
import { header, type Incoming } from '../../../http/incoming.ts'
import { isLoopback } from '../../../http/network.ts'
import type { Deps } from '../../deps.ts'

export interface RelyingParty {
  readonly name: string
  readonly id: string
  readonly origins: string[]
}

/**
 * Passkeys belong to a host name, never to an address. On the machine itself that is `localhost`, with the port that the
 * browser asked.
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
export function newChallenge({ keys, clock }: ChallengeDeps, purpose: Purpose): Uint8Array<ArrayBuffer> {
  const end = Buffer.alloc(TIME_BYTES)
  end.writeUIntBE(clock.now() + LIFE, 0, TIME_BYTES)
  const content = Buffer.concat([randomBytes(RANDOM_BYTES), end])
  return new Uint8Array(Buffer.concat([content, macOf(keys.token, purpose, content)]))
}

/** True for a challenge of ours for this purpose that has not ended. Whether it was answered before, `useUp` tells. */
export function isOurs({ keys, clock }: ChallengeDeps, purpose: Purpose, challenge: string): boolean {
  const bytes = Buffer.from(challenge, 'base64url')
  const content = bytes.subarray(0, MAC_AT)
  if (bytes.length <= MAC_AT || bytes.toString('base64url') !== challenge) return false
  return isSameSecret(bytes.subarray(MAC_AT), macOf(keys.token, purpose, content)) && endOf(bytes) > clock.now()
}

const macOf = (key: Uint8Array, purpose: Purpose, content: Buffer): Buffer =>
  keyedHash(key, Buffer.concat([Buffer.from(`passkey ${purpose} `), content])).subarray(0, RANDOM_BYTES)

const endOf = (bytes: Buffer): number => bytes.readUIntBE(RANDOM_BYTES, TIME_BYTES)

/** False if it was answered before. The row is kept until the challenge ends by itself. */
export async function useUp({ keys }: Pick<Deps, 'keys'>, tx: Tx, challenge: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('used_challenges')
    .values({ hash: keyedHash(keys.token, challenge), expires_at: endOf(Buffer.from(challenge, 'base64url')) })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}
