import { AppError, reasonOf } from '../../base/errors.ts'
import type { StylesheetReader } from '../../features/brands/themes/stylesheet-reader.ts'
import { updateThemeBody } from '../../features/brands/themes/update-theme.ts'
import { isFileKey } from '../../files/file-keys.ts'
import { check } from '../../http/validate.ts'
import { archiveFault, placeOf, quoted } from '../row-checks/check-row.ts'
import type { Row } from './brand-rows.ts'

const settings = updateThemeBody.omit({ logoLightUrl: true, logoDarkUrl: true, faviconUrl: true, customCss: true })

/** The brand with its theme as a change of it would be stored. */
export function checkedTheme(brand: Row, place: string): Row {
  const fault = (field: string, rule: string) => archiveFault(placeOf(place, `theme${field && '.'}${field}`), rule)
  const stored = parsed(brand['theme'])
  if (!stored) throw fault('', 'Must be a JSON object.')
  const { logoLight, logoDark, favicon, hasStyles, ...given } = stored
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

function parsed(text: unknown): Row | null {
  try {
    const value: unknown = JSON.parse(`${text}`)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Row) : null
  } catch {
    return null
  }
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
