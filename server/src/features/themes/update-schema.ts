import { z } from 'zod'
import { isUnique } from '../../base/fields.ts'
import { MOST_BYTES } from './css/check-text.ts'
import { cssProblems } from './css/read-css.ts'
import {
  DENSITIES,
  ELEVATIONS,
  FONT_STACKS,
  LABEL_ALIGNS,
  LABEL_PLACEMENTS,
  RADII,
  TITLE_PLACEMENTS,
} from './schema.ts'

/** Written as \uXXXX, as some programs write whatever is not ASCII, a stylesheet is three times as long. */
export const MOST_THEME_BYTES = 3 * MOST_BYTES + 16 * 1024

const MOST_ORIGINS = 20
const LONGEST_ORIGIN = 255

const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values).nullable().optional()

const color = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, 'A colour as #rrggbb.')
  .toLowerCase()
  .nullable()
  .optional()

const assetUrl = z.string().max(2_048).nullable().optional()

/** No wildcard: it goes as it is into the policy that says who may frame a page. */
const ORIGIN = /^https?:\/\/([a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])(:\d+)?$/

const isOrigin = (text: string): boolean => ORIGIN.test(text) && URL.canParse(text) && new URL(text).origin === text

const origin = z
  .string()
  .max(LONGEST_ORIGIN)
  .refine(isOrigin, {
    error: 'An origin as a browser writes it: https://www.example.com, in lower case and with nothing behind it.',
    params: { code: 'invalid_origin' },
  })

const customCss = z
  .string()
  .superRefine((css, context) => {
    for (const { rule, message, line, column } of cssProblems(css)) {
      context.addIssue({
        code: 'custom',
        message: `Line ${line}, column ${column}: ${message}`,
        params: { code: rule, line, column },
      })
    }
  })
  .meta({ maxLength: MOST_BYTES })
  .nullable()
  .optional()

export const updateThemeBody = z
  .strictObject({
    radius: oneOf(RADII),
    density: oneOf(DENSITIES),
    fontStack: oneOf(FONT_STACKS),
    titlePlacement: oneOf(TITLE_PLACEMENTS),
    labelPlacement: oneOf(LABEL_PLACEMENTS),
    labelAlign: oneOf(LABEL_ALIGNS),
    elevation: oneOf(ELEVATIONS),
    hideWatermark: z.boolean().nullable().optional(),
    accent: color,
    background: color,
    foreground: color,
    logoLightUrl: assetUrl,
    logoDarkUrl: assetUrl,
    faviconUrl: assetUrl,
    embedOrigins: z
      .array(origin)
      .max(MOST_ORIGINS)
      .refine(isUnique, { error: 'No value may be given twice.', params: { code: 'repeated' } })
      .nullable()
      .optional(),
    customCss,
  })
  .meta({ id: 'ThemeUpdate' })

export type UpdateTheme = z.infer<typeof updateThemeBody>
