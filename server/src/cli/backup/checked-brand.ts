import type { Row } from '../../backup/table-rows.ts'
import { AppError, reasonOf } from '../../base/errors.ts'
import { updateBrandBody } from '../../events/resources/brand.ts'
import type { StylesheetReader } from '../../features/brands/themes/stylesheet-reader.ts'
import { updateThemeBody } from '../../features/brands/themes/update-theme.ts'
import { isFileKey } from '../../files/file-keys.ts'
import { check } from '../../http/validate.ts'
import { archiveFault, parsed, placeOf, quoted } from './check-row.ts'

const FILES_PATH = '/files/'

/** The beginning of the addresses of pictures, in the service of the archive and in this one. */
interface Prefixes {
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

const settings = updateThemeBody.omit({ logoLightUrl: true, logoDarkUrl: true, faviconUrl: true, customCss: true })

/** The brand with its theme as a change of it would be stored. */
export function checkedTheme(brand: Row, place: string): Row {
  const fault = (field: string, rule: string) => archiveFault(placeOf(place, `theme${field && '.'}${field}`), rule)
  const stored = parsed(brand['theme'])
  if (!stored) throw fault('', 'Must be a JSON object.')
  const { logoLight, logoDark, favicon, hasStyles, ...given } = stored as Record<string, unknown>
  const pictures = { logoLight, logoDark, favicon }
  for (const [name, key] of Object.entries(pictures)) {
    if (key !== undefined && !(typeof key === 'string' && isFileKey(key))) {
      throw fault(name, `Must be the key of a picture, and is ${quoted(key)}.`)
    }
  }
  if (hasStyles !== undefined && hasStyles !== true) throw fault('hasStyles', 'Must be true, or absent.')
  const { value, problems } = check(settings, given)
  const [problem] = problems
  if (problem) throw fault(problem.path, problem.message)
  const isSet = ([, setting]: [string, unknown]) => setting !== null
  const theme = {
    ...Object.fromEntries(Object.entries(value ?? {}).filter(isSet)),
    ...pictures,
    ...(hasStyles ? { hasStyles } : {}),
  }
  return { ...brand, theme: JSON.stringify(theme) }
}

/** The row with the stylesheet as it is served, printed again from the brand's own. */
export async function checkedStyles(reader: StylesheetReader, row: Row, place: string): Promise<Row> {
  const { value: css, problems } = await reader.print({ customCss: row['source'] }).catch((error) => {
    throw error instanceof AppError && error.status < 500
      ? archiveFault(placeOf(place, 'source'), reasonOf(error))
      : error
  })
  const [problem] = problems
  if (problem) throw archiveFault(placeOf(place, 'source'), problem.message)
  return { ...row, css }
}

/** The row with the parts of its stylesheet that today's rules allow: its service may have accepted it by earlier ones. */
export const reprintedStyles = async (reader: StylesheetReader, row: Row): Promise<Row> => ({
  ...row,
  css: await reader.printAllowed(`${row['source']}`),
})
