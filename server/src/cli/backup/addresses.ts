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

/** The one column with an address. It is moved only where the whole of it is the address of a picture. */
const movedAddress = (value: unknown, { before, now }: Prefixes): unknown =>
  typeof value === 'string' && value.startsWith(before) && isFileKey(value.slice(before.length))
    ? now + value.slice(before.length)
    : value

export const withMovedAvatar = (brand: Row, prefixes: Prefixes): Row => ({
  ...brand,
  avatar_url: movedAddress(brand['avatar_url'], prefixes),
})

const avatar = updateBrandBody.shape.avatarUrl

/** The row of the brand with its address moved, before anything is stored. */
export function checkedAvatar(brand: Row, { prefixes, place }: { prefixes: Prefixes; place: string }): Row {
  const moved = withMovedAvatar(brand, prefixes)
  const { avatar_url: address } = moved
  const isOurs =
    typeof address === 'string' && address.startsWith(prefixes.now) && isFileKey(address.slice(prefixes.now.length))
  const { error } = avatar.safeParse(address)
  if (isOurs || !error) return moved
  throw archiveFault(placeOf(place, 'avatar_url'), error.issues[0]?.message ?? 'Must be an https URL.')
}
