import type { Scheme } from '../../../../embed/src/theme/palette.ts'
import type { OwnTheme } from '../../../../sdk/src/index.ts'

/** The colours of polls where the device and the page around have those of `scheme`. */
export const cardSchemeOf = ({ colorScheme }: Pick<OwnTheme, 'colorScheme'>, scheme: Scheme): Scheme =>
  (({ AUTO: scheme, HOST: scheme, LIGHT: 'light', DARK: 'dark' }) as const)[colorScheme]
