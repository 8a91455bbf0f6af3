import { z } from 'zod'

const color = z
  .string()
  .regex(/^#[0-9a-f]{6}$/)
  .nullable()

export const theme = z
  .strictObject({
    radius: z.enum(['NONE', 'SM', 'MD', 'LG', 'FULL']),
    density: z.enum(['COMFORTABLE', 'COMPACT']),
    fontStack: z.enum(['SYSTEM', 'SERIF', 'MONO', 'ROUNDED']),
    titlePlacement: z.enum(['ABOVE', 'BELOW', 'HIDDEN']),
    labelPlacement: z.enum(['OVERLAY', 'BELOW', 'HIDDEN']),
    labelAlign: z.enum(['START', 'CENTER', 'END']),
    elevation: z.enum(['NONE', 'LOW', 'HIGH']),
    hideWatermark: z.boolean(),
    accent: color,
    background: color,
    foreground: color,
    logoLightUrl: z.string().nullable(),
    logoDarkUrl: z.string().nullable(),
    faviconUrl: z.string().nullable(),
    embedOrigins: z.array(z.string()),
    customCssUrl: z.string().nullable(),
    version: z.int().nonnegative(),
  })
  .meta({ id: 'Theme' })

export type Theme = z.infer<typeof theme>

const DEFAULTS: Omit<Theme, 'version'> = {
  radius: 'MD',
  density: 'COMFORTABLE',
  fontStack: 'SYSTEM',
  titlePlacement: 'ABOVE',
  labelPlacement: 'BELOW',
  labelAlign: 'CENTER',
  elevation: 'LOW',
  hideWatermark: false,
  accent: null,
  background: null,
  foreground: null,
  logoLightUrl: null,
  logoDarkUrl: null,
  faviconUrl: null,
  embedOrigins: [],
  customCssUrl: null,
}

/** What a brand has not set has its default: an answer always carries every field. */
export const presentTheme = (row: { theme: string; theme_version: number }): Theme => ({
  ...DEFAULTS,
  ...(JSON.parse(row.theme) as Partial<Theme>),
  version: row.theme_version,
})
