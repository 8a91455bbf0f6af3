import { isSameSecret, keyedHash } from '../../../base/secrets.ts'
import type { Tx } from '../../../db/store.ts'
import type { Deps } from '../../deps.ts'

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
