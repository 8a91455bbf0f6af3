import { z } from 'zod'
import { uniqueList } from '../../../base/fields.ts'
import {
  ABOUT_THEME,
  DENSITIES,
  ELEVATIONS,
  FONT_STACKS,
  LABEL_ALIGNS,
  LABEL_PLACEMENTS,
  RADII,
  TITLE_PLACEMENTS,
} from '../../../events/resources/theme.ts'
import { MOST_BYTES } from './css/problems.ts'

/** Some programs escape all non-ASCII characters as \uXXXX, which makes a stylesheet three times as long. */
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

/** No wildcard, because the origin is copied into the `frame-ancestors` policy. */
const ORIGIN = /^https?:\/\/([a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])(:\d+)?$/

const isOrigin = (text: string): boolean => ORIGIN.test(text) && URL.canParse(text) && new URL(text).origin === text

const origin = z
  .string()
  .max(LONGEST_ORIGIN)
  .refine(isOrigin, {
    error: 'Must be an origin in lower case without a path, such as https://www.example.com.',
    params: { code: 'invalid_origin' },
  })

/** The text is read by `StylesheetReader`, beside the event loop. */
const customCss = z.string().meta({ maxLength: MOST_BYTES }).nullable().optional()

export const updateThemeBody = z
  .strictObject({
    radius: oneOf(RADII).meta(ABOUT_THEME.radius),
    density: oneOf(DENSITIES).meta(ABOUT_THEME.density),
    fontStack: oneOf(FONT_STACKS).meta(ABOUT_THEME.fontStack),
    titlePlacement: oneOf(TITLE_PLACEMENTS).meta(ABOUT_THEME.titlePlacement),
    labelPlacement: oneOf(LABEL_PLACEMENTS).meta(ABOUT_THEME.labelPlacement),
    labelAlign: oneOf(LABEL_ALIGNS).meta(ABOUT_THEME.labelAlign),
    elevation: oneOf(ELEVATIONS).meta(ABOUT_THEME.elevation),
    hideWatermark: z.boolean().nullable().optional().meta(ABOUT_THEME.hideWatermark),
    accent: color.meta(ABOUT_THEME.accent),
    background: color.meta(ABOUT_THEME.background),
    foreground: color.meta(ABOUT_THEME.foreground),
    logoLightUrl: assetUrl.meta(ABOUT_THEME.logoLightUrl),
    logoDarkUrl: assetUrl.meta(ABOUT_THEME.logoDarkUrl),
    faviconUrl: assetUrl.meta(ABOUT_THEME.faviconUrl),
    embedOrigins: uniqueList(origin, { most: MOST_ORIGINS }).nullable().optional().meta(ABOUT_THEME.embedOrigins),
    customCss: customCss.meta(ABOUT_THEME.customCss),
  })
  .meta({
    id: 'ThemeUpdate',
    description: 'The fields to change. Omitted fields keep their value; null resets a field to its default.',
  })

export type UpdateTheme = z.infer<typeof updateThemeBody>
