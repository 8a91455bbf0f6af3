import { z } from 'zod'
import { count } from '../../base/fields.ts'

/** The description and example of each field, shared by bodies and answers. */
export const ABOUT_THEME = {
  radius: { description: 'The roundness of corners.', examples: ['MD'] },
  density: { description: 'The spacing.', examples: ['COMFORTABLE'] },
  fontStack: {
    description:
      'Which fonts are used: those of the system, `MANROPE`, which the service delivers, or `INHERIT`: in elements the font of the page around them, elsewhere that of the system.',
    examples: ['SYSTEM'],
  },
  titlePlacement: { description: 'Where the title of a poll is.', examples: ['ABOVE'] },
  labelPlacement: {
    description:
      'Where the labels of options with a picture are. `HIDDEN` hides them visually; screen readers still read them.',
    examples: ['BELOW'],
  },
  labelAlign: { description: 'How labels are aligned.', examples: ['CENTER'] },
  elevation: { description: 'The strength of the shadow of a card.', examples: ['LOW'] },
  hideWatermark: { description: 'Whether the line with the name of the service is hidden.', examples: [false] },
  motion: { description: 'Whether cards move when a vote is cast. `NONE` shows results at once.', examples: ['FULL'] },
  colorScheme: {
    description:
      'The colours of cards and pages: `AUTO` follows the visitor, `HOST` the page around an element, `LIGHT` and `DARK` follow nothing.',
    examples: ['AUTO'],
  },
  shareResults: {
    description:
      'Whether share pictures show the results of polls that are open. Those of closed polls show them in any case, if everybody may see them.',
    examples: ['HIDDEN'],
  },
  embedStorage: {
    description:
      'Behaviour of a frame that cannot remember a vote: `ASK` opens the page of the poll to vote there, `ALLOW` takes the vote.',
    examples: ['ASK'],
  },
  accent: {
    description: 'The colour of buttons and bars as `#rrggbb`, or null for the default.',
    examples: ['#0f766e'],
  },
  background: { description: 'The colour behind a poll as `#rrggbb`, or null for the default.', examples: ['#fffbeb'] },
  foreground: { description: 'The colour of text as `#rrggbb`, or null for the default.', examples: ['#1c1917'] },
  logoLightUrl: {
    description: 'The logo for light backgrounds: the `publicUrl` of an upload, or null.',
    examples: ['https://polls.example.com/files/q3Zk0d1nYw8vT5mBq3Zk0d1nYw8vT5mB.png'],
  },
  logoDarkUrl: {
    description: 'The logo for dark backgrounds: the `publicUrl` of an upload, or null.',
    examples: [null],
  },
  faviconUrl: { description: 'The icon of pages: the `publicUrl` of an upload, or null.', examples: [null] },
  embedOrigins: {
    description:
      'The origins of pages that may show a poll in a frame, and whose visitors may vote on it. Empty means any.',
    examples: [['https://www.example.com']],
  },
  customCss: {
    description: 'The stylesheet as the brand wrote it, or null. Only the owner sees it in this form.',
    examples: ['.poll { border-style: dashed; }'],
  },
}

/** The settings with a fixed set of values. */
export const THEME_CHOICES = {
  radius: z.enum(['NONE', 'SM', 'MD', 'LG', 'FULL']),
  density: z.enum(['COMFORTABLE', 'COMPACT']),
  fontStack: z.enum(['SYSTEM', 'SERIF', 'MONO', 'ROUNDED', 'MANROPE', 'INHERIT']),
  titlePlacement: z.enum(['ABOVE', 'BELOW', 'HIDDEN']),
  labelPlacement: z.enum(['OVERLAY', 'BELOW', 'HIDDEN']),
  labelAlign: z.enum(['START', 'CENTER', 'END']),
  elevation: z.enum(['NONE', 'LOW', 'HIGH']),
  hideWatermark: z.boolean(),
  motion: z.enum(['FULL', 'NONE']),
  colorScheme: z.enum(['AUTO', 'LIGHT', 'DARK', 'HOST']),
  shareResults: z.enum(['HIDDEN', 'SHOWN']),
  embedStorage: z.enum(['ASK', 'ALLOW']),
}

const color = z
  .string()
  .regex(/^#[0-9a-f]{6}$/)
  .nullable()

const fields = {
  radius: THEME_CHOICES.radius.meta(ABOUT_THEME.radius),
  density: THEME_CHOICES.density.meta(ABOUT_THEME.density),
  fontStack: THEME_CHOICES.fontStack.meta(ABOUT_THEME.fontStack),
  titlePlacement: THEME_CHOICES.titlePlacement.meta(ABOUT_THEME.titlePlacement),
  labelPlacement: THEME_CHOICES.labelPlacement.meta(ABOUT_THEME.labelPlacement),
  labelAlign: THEME_CHOICES.labelAlign.meta(ABOUT_THEME.labelAlign),
  elevation: THEME_CHOICES.elevation.meta(ABOUT_THEME.elevation),
  hideWatermark: THEME_CHOICES.hideWatermark.meta(ABOUT_THEME.hideWatermark),
  motion: THEME_CHOICES.motion.meta(ABOUT_THEME.motion),
  colorScheme: THEME_CHOICES.colorScheme.meta(ABOUT_THEME.colorScheme),
  shareResults: THEME_CHOICES.shareResults.meta(ABOUT_THEME.shareResults),
  embedStorage: THEME_CHOICES.embedStorage.meta(ABOUT_THEME.embedStorage),
  accent: color.meta(ABOUT_THEME.accent),
  background: color.meta(ABOUT_THEME.background),
  foreground: color.meta(ABOUT_THEME.foreground),
  logoLightUrl: z.string().nullable().meta(ABOUT_THEME.logoLightUrl),
  logoDarkUrl: z.string().nullable().meta(ABOUT_THEME.logoDarkUrl),
  faviconUrl: z.string().nullable().meta(ABOUT_THEME.faviconUrl),
  embedOrigins: z.array(z.string()).meta(ABOUT_THEME.embedOrigins),
  customCssUrl: z
    .string()
    .nullable()
    .meta({
      description: "The URL of the brand's stylesheet, different for each version, or null.",
      examples: ['https://polls.example.com/css/corner-cafe/v7.css'],
    }),
  version: count.meta({ description: 'The number of updates of the theme; 0 before the first one.', examples: [7] }),
}

export const theme = z
  .object(fields)
  .meta({ id: 'Theme', description: 'The look of the polls of a brand, every field resolved.' })

export const ownTheme = z
  .object({ ...fields, customCss: z.string().nullable().meta(ABOUT_THEME.customCss) })
  .meta({ id: 'OwnTheme', description: 'The theme as its owner sees it.' })

export type Theme = z.infer<typeof theme>
export type OwnTheme = z.infer<typeof ownTheme>
