import { randomBytes } from 'node:crypto'
import { type Bytes, shortKeyedHash } from '../../base/secrets.ts'
import type { Deps } from '../deps.ts'

/** Crockford's Base32: without I, L, O and U. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const LENGTH = 12
const CODE = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`)
/** Spaces and hyphens may be typed anywhere, but not without end. */
const LONGEST_TYPED = 64
const HASH_BYTES = 16

/** 60 random bits, as 12 characters. */
export const newCode = (): string => [...randomBytes(LENGTH)].map((byte) => ALPHABET.charAt(byte % 32)).join('')

/** In groups of four, as people read it. */
export const shownCode = (code: string): string => code.replace(/(.{4})(?=.)/g, '$1-')

/** The code that somebody typed or pasted; null if it has another form. */
function readCode(typed: string): string | null {
  if (typed.length > LONGEST_TYPED) return null
  const code = typed.replace(/[\s-]/g, '').toUpperCase().replaceAll(/[IL]/g, '1').replaceAll('O', '0')
  return CODE.test(code) ? code : null
}

type Keys = Pick<Deps, 'keys'>

/** The stored hash of a code. A text of another form is hashed too: its hash was never issued. */
export const codeHash = ({ keys }: Keys, typed: string): Bytes =>
  shortKeyedHash(keys.code, readCode(typed) ?? `malformed:${typed.slice(0, LONGEST_TYPED)}`, HASH_BYTES)

/**
 * The voter of a poll with a list, for code and device together. `deviceText` is what the request brings and no table holds:
 * from a stored hash of a device, the keys and the codes of a list, the votes of the codes could be found.
 */
export const codeVoter = ({ keys }: Keys, typed: string, deviceText: string): Bytes =>
  shortKeyedHash(
    keys.codeVoter,
    `${readCode(typed) ?? `malformed:${typed.slice(0, LONGEST_TYPED)}`} ${deviceText}`,
    HASH_BYTES,
  )
