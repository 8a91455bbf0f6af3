import { isUuid } from '../../../base/ids.ts'
import { type Bytes, derivedKey, keyedHash, shortKeyedHash } from '../../../base/secrets.ts'
import type { Deps } from '../../deps.ts'

const STORED_BYTES = 16

/** The internal form of a device: its id is never stored. */
export type Device = Bytes

export const deviceOfUuid = (key: Bytes, uuid: string): Device => hashed(key, `uuid:${uuid.toLowerCase()}`)

/** An app's own device id that is a UUID means the same device as a header's; any other belongs to that app. */
export const deviceOfApp = (key: Bytes, app: { appId: string; externalDeviceId: string }): Device =>
  isUuid(app.externalDeviceId)
    ? deviceOfUuid(key, app.externalDeviceId)
    : hashed(key, `app:${app.appId}:${app.externalDeviceId}`)

/** The device of a member's votes: the same for every session and brand of the token. */
export const deviceOfMember = (key: Bytes, memberId: string): Device => hashed(key, `member:${memberId}`)

const hashed = (key: Bytes, text: string): Device => shortKeyedHash(key, text, STORED_BYTES)

const PREFIXES = { device: Buffer.from('device:'), code: Buffer.from('code:') }

type Brand = { readonly brandKey: number }

/** Each brand has its own key, so that ids of two brands cannot be matched. */
const brandsOwnKey = ({ keys }: Pick<Deps, 'keys'>, { brandKey }: Brand) =>
  derivedKey(keys.respondent, `respondents of brand ${brandKey}`)

/** Begins with a letter, so that no spreadsheet takes an id for a formula. */
const nameOf = (key: Bytes, text: string | Bytes): string => `r_${keyedHash(key, text).toString('base64url')}`

/** `isByCode`: a voter of a poll with codes, whose stored hash is that of code and device together. */
export type RespondentIds = (voter: Device, forgottenAt: number | null, isByCode?: boolean) => string

/** The id under which a brand sees a device. A device that was forgotten gets a new one, which cannot be matched with the old one. */
export function respondentIds(deps: Pick<Deps, 'keys'>, brand: Brand): RespondentIds {
  const key = brandsOwnKey(deps, brand)
  return (voter, forgottenAt, isByCode) => {
    const prefix = PREFIXES[isByCode ? 'code' : 'device']
    return nameOf(key, Buffer.concat([prefix, voter, Buffer.from(forgottenAt === null ? '' : `:${forgottenAt}`)]))
  }
}

/** The id of a forgotten voter: no other vote has it. */
export function forgottenIds(deps: Pick<Deps, 'keys'>, brand: Brand, pollId: string): (position: number) => string {
  const key = brandsOwnKey(deps, brand)
  return (position) => nameOf(key, `vote:${pollId}:${position}`)
}
