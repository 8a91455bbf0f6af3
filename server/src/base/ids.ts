import { randomBytes, randomUUID } from 'node:crypto'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const SHORT_ID = /^[A-Za-z0-9_-]{12}$/
const SUFFIX_ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'

export const newUuid = (): string => randomUUID()

/** Version 7 begins with the time, so that new rows are stored next to each other. */
export function newOrderedUuid(now: number): string {
  const hex = randomUUID().replaceAll('-', '')
  const time = Math.max(0, now).toString(16).padStart(12, '0').slice(-12)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex.slice(13, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

const UUID_LENGTH = 36

/** Nearly every other text has another length. */
export const isUuid = (text: string): boolean => text.length === UUID_LENGTH && UUID.test(text)

/** The nil and the max UUID are what programs send that have no id: all of their devices would be one. */
export const isDeviceId = (text: string): boolean => isUuid(text) && !/^(?:[0-]+|[f-]+)$/i.test(text)

/**
 * Contains an upper-case letter, so that it never looks like a slug, and does not begin with a hyphen, which command lines
 * take for an option. Earlier versions made such ids, and these still work.
 */
export function newShortId(): string {
  for (;;) {
    const id = randomBytes(9).toString('base64url')
    if (/[A-Z]/.test(id) && !id.startsWith('-')) return id
  }
}

export const isShortId = (text: string): boolean => SHORT_ID.test(text) && /[A-Z]/.test(text)

export const newToken = (prefix: string): string => prefix + randomBytes(32).toString('base64url')

export const newApiKeyId = (): string => `tai_${randomBytes(18).toString('base64url')}`

export const newApiKeySecret = (): string => randomBytes(32).toString('hex')

export function slugFromTitle(title: string): string {
  const words = title
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 80)
    .replace(/^-+|-+$/g, '')
  return similarSlug(words || 'poll')
}

const LONGEST_SLUG = 128
const SUFFIX_LENGTH = 6

/** Random, so that nobody can tell from one slug which others exist. */
export const similarSlug = (slug: string): string =>
  `${slug.slice(0, LONGEST_SLUG - SUFFIX_LENGTH - 1)}-${newSuffix(SUFFIX_LENGTH)}`

export function newSuffix(length: number): string {
  let suffix = ''
  while (suffix.length < length) {
    for (const byte of randomBytes(length)) {
      // 252 is the largest multiple of 36 in a byte: values above it would make some letters more frequent.
      if (byte < 252 && suffix.length < length) suffix += SUFFIX_ALPHABET[byte % 36]
    }
  }
  return suffix
}
