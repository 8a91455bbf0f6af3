import { DAY } from '../../base/clock.ts'
import { derivedKey, isSameSecret, keyedHash } from '../../base/secrets.ts'
import type { Deps } from '../deps.ts'

interface Place {
  readonly id: string
  readonly generation: string
}

export const isGeneration = (text: string): boolean => /^[a-z0-9]{6}$/.test(text)

const WITH_TOKEN = /^([a-z0-9]{6})\.([0-9a-z]{1,10})\.([\w-]{43})$/

/** Where the parts of a log are. An address with a token, of which nothing is stored, works while results are hidden. */
export class LogUrls {
  readonly #publicUrl: string
  readonly #key: Uint8Array

  constructor({ config, keys }: Pick<Deps, 'config' | 'keys'>) {
    this.#publicUrl = config.publicUrl
    this.#key = derivedKey(keys.logNonces, 'addresses of hidden logs')
  }

  of({ id, generation }: Place): string {
    return `${this.#publicUrl}/log/${id}/${generation}`
  }

  withToken(place: Place, now: number): string {
    // The same within a day, so that the answer that shows it has one ETag.
    const expiresAt = (Math.floor(now / DAY) + 2) * DAY
    return `${this.of(place)}.${expiresAt.toString(36)}.${this.#signature(place, expiresAt)}`
  }

  /** The generation in the segment of an address, and whether it brings a token that is valid. */
  read(id: string, segment: string, now: number): { generation: string; isOwners: boolean } {
    const [, generation, end = '', signature = ''] = WITH_TOKEN.exec(segment) ?? []
    if (generation === undefined) return { generation: segment, isOwners: false }
    const expiresAt = Number.parseInt(end, 36)
    const expected = Buffer.from(this.#signature({ id, generation }, expiresAt))
    const isOwners = expiresAt > now && isSameSecret(Buffer.from(signature), expected)
    // Without a valid token it is the address of no log.
    return isOwners ? { generation, isOwners } : { generation: segment, isOwners }
  }

  #signature({ id, generation }: Place, expiresAt: number): string {
    return keyedHash(this.#key, `${id} ${generation} ${expiresAt}`).toString('base64url')
  }
}
