import { isUuid } from '../../../base/ids.ts'
import { type Bytes, shortKeyedHash } from '../../../base/secrets.ts'

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
