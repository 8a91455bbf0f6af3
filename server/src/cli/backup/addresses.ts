import type { Row } from '../../backup/table-rows.ts'
import { updateBrandBody } from '../../events/resources/brand.ts'
import { isFileKey } from '../../files/file-keys.ts'
import { archiveFault, placeOf, quoted } from './check-row.ts'

const FILES_PATH = '/files/'

/** The beginning of the addresses of pictures, in the service of the archive and in this one. */
export interface Prefixes {
  readonly before: string
  readonly now: string
}

export function assertFilesUrl(filesUrl: unknown): asserts filesUrl is string {
  const url = typeof filesUrl === 'string' ? URL.parse(filesUrl) : null
  if (
    url &&
    url.href === filesUrl &&
    /^https?:$/.test(url.protocol) &&
    isPlain(url) &&
    url.pathname.endsWith(FILES_PATH)
  )
    return
  throw archiveFault(
    'tossup.json, filesUrl',
    `Must be an http or https address without user, password, query and fragment that ends in ${FILES_PATH}, and is ${quoted(filesUrl)}.`,
  )
}

const isPlain = ({ username, password, search, hash }: URL): boolean => `${username}${password}${search}${hash}` === ''

/** The key of a picture whose address begins so; null for any other address. */
const keyIn = (address: unknown, prefix: string): string | null => {
  const key = typeof address === 'string' && address.startsWith(prefix) ? address.slice(prefix.length) : ''
  return isFileKey(key) ? key : null
}

/** The one column with an address. It is moved only where the whole of it is the address of a picture. */
export function withMovedAvatar(brand: Row, { before, now }: Prefixes): Row {
  const key = keyIn(brand['avatar_url'], before)
  return key === null ? brand : { ...brand, avatar_url: now + key }
}

const avatar = updateBrandBody.shape.avatarUrl

/** The row of the brand with its address moved, before anything is stored. */
export function checkedAvatar(brand: Row, { prefixes, place }: { prefixes: Prefixes; place: string }): Row {
  const moved = withMovedAvatar(brand, prefixes)
  const { avatar_url: address } = moved
  const { error } = avatar.safeParse(address)
  if (keyIn(address, prefixes.now) !== null || !error) return moved
  throw archiveFault(placeOf(place, 'avatar_url'), error.issues[0]?.message ?? 'Must be an https URL.')
}
