import { PlainFailure, reasonOf } from '../../base/errors.ts'
import { isReservedSlug } from '../../features/brands/reserved-slugs.ts'
import { readCss } from '../../features/themes/css/read-css.ts'
import { updateThemeBody } from '../../features/themes/update-body.ts'
import { isBrandSlug } from '../../resources/brand.ts'
import { isFileKey } from '../../storage/file-keys.ts'
import type { Row } from './brand-rows.ts'

const NOTHING = 'Nothing was imported.'

export function assertSafeBrand({ slug }: Row): void {
  if (typeof slug === 'string' && isBrandSlug(slug) && !isReservedSlug(slug)) return
  throw new PlainFailure(`The brand of the archive has the slug "${slug}", which no brand may have. ${NOTHING}`)
}

const WIDTHS = /^(?:\d{1,4}(?: \d{1,4})*)?$/

/** The server removes, serves and joins files by what these rows say. */
export function assertSafeFile({ key, part_a, part_b, removed_at, variant_widths }: Row): void {
  const keys = [key, ...[part_a, part_b].filter((part) => part !== null)]
  const areKeys = keys.every((each) => typeof each === 'string' && isFileKey(each))
  const areWidths = WIDTHS.test(`${variant_widths ?? ''}`)
  if (areKeys && areWidths && removed_at === null) return
  throw new PlainFailure(`The archive has a row of the picture "${key}" that cannot be right. ${NOTHING}`)
}

const settings = updateThemeBody.omit({ logoLightUrl: true, logoDarkUrl: true, faviconUrl: true, customCss: true })

/** The brand with its theme as a change of it would be stored. */
export function checkedTheme(brand: Row): Row {
  try {
    const { logoLight, logoDark, favicon, hasStyles, ...given } = JSON.parse(`${brand['theme']}`)
    const pictures = { logoLight, logoDark, favicon }
    for (const key of Object.values(pictures)) {
      if (key !== undefined && !(typeof key === 'string' && isFileKey(key))) throw new Error(`"${key}" is no picture`)
    }
    const { data, error } = settings.safeParse(given)
    const [issue] = error?.issues ?? []
    if (issue) throw new Error(`${issue.path.join('.')}: ${issue.message}`)
    const theme = { ...data, ...pictures, ...(hasStyles === true ? { hasStyles } : {}) }
    return { ...brand, theme: JSON.stringify(theme) }
  } catch (error) {
    throw new PlainFailure(`The theme of the archive cannot be used: ${reasonOf(error)}. ${NOTHING}`, { cause: error })
  }
}

/** The stylesheet as it is served, made again of what the brand wrote. */
export function checkedStyles(row: Row): Row {
  const { problems, printed } = readCss(`${row['source']}`)
  const [problem] = problems
  if (!problem) return { ...row, css: printed }
  const { line, column, message } = problem
  throw new PlainFailure(
    `A stylesheet of the archive cannot be used: line ${line}, column ${column}: ${message} ${NOTHING}`,
  )
}
