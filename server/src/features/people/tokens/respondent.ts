import { derivedKey, keyedHash } from '../../../base/secrets.ts'
import type { Deps } from '../../deps.ts'
import type { Device } from './device.ts'

const PREFIX = Buffer.from('device:')

type Brand = { readonly brandKey: number }

/** Each brand has its own key, so that ids of two brands cannot be matched. */
const brandsOwnKey = ({ keys }: Pick<Deps, 'keys'>, { brandKey }: Brand) =>
  derivedKey(keys.respondent, `respondents of brand ${brandKey}`)

/** The id under which a brand sees a device. */
export function respondentIds(deps: Pick<Deps, 'keys'>, brand: Brand): (device: Device) => string {
  const key = brandsOwnKey(deps, brand)
  return (device) => keyedHash(key, Buffer.concat([PREFIX, device])).toString('base64url')
}

/** The id of a forgotten voter: no other vote has it. */
export function forgottenIds(deps: Pick<Deps, 'keys'>, brand: Brand, pollId: string): (position: number) => string {
  const key = brandsOwnKey(deps, brand)
  return (position) => keyedHash(key, `vote:${pollId}:${position}`).toString('base64url')
}
