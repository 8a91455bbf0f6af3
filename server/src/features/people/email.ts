import { domainToASCII } from 'node:url'
import { z } from 'zod'

const LONGEST = 254
/** Characters that end or begin an address in a mail header, and those that nobody sees: two addresses would look the same. */
const UNFIT = /[\s\p{Cc}\p{Cf}\p{Cs}\p{Zs}\p{Default_Ignorable_Code_Point}<>()[\]\\,;:"@]/u
const ASCII_DOMAIN = /^(?!-)[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z][a-z0-9-]*$/

const partsOf = (email: string): [local: string, domain: string] => {
  const at = email.lastIndexOf('@')
  return [email.slice(0, Math.max(at, 0)), email.slice(at + 1)]
}

/** True for an address that mail can be sent to; whether anybody reads it, only a mail can tell. */
export function isEmail(email: string): boolean {
  const [local, domain] = partsOf(email)
  if (email.length > LONGEST) return false
  return local !== '' && !UNFIT.test(local) && !UNFIT.test(domain) && ASCII_DOMAIN.test(domainToASCII(domain))
}

/**
 * Equal for two spellings of one address: without case, and the domain as the name service knows it. A letter is folded only
 * if it comes back from the fold: the sign of Kelvin is no k, or somebody could get an address that is taken for another's.
 */
export function emailKey(email: string): string {
  const [local, domain] = partsOf(email)
  // Folded before it is normalised, because the normal form of the sign of Kelvin is K.
  return `${[...local].map(folded).join('').normalize('NFC')}@${domainToASCII(domain)}`
}

function folded(letter: string): string {
  const small = letter.toLowerCase()
  return small.toUpperCase() === letter ? small : letter
}

export const emailField = z
  .string()
  .max(LONGEST)
  .refine(isEmail, { error: 'Must be an email address, such as ada@example.com.', params: { code: 'invalid_format' } })
