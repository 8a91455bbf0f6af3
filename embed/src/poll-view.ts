/** The fields of the interface's poll that are shown. */
export interface PollView {
  readonly id: string
  readonly title: string
  readonly optionA: OptionView
  readonly optionB: OptionView
  readonly images: { readonly combined: string | null }
  readonly imageVariants: readonly ImageVariant[]
  readonly tallies: {
    readonly optionA: number
    readonly optionB: number
    readonly total: number
    readonly hidden?: true | undefined
  }
  readonly status: 'open' | 'closed' | 'scheduled'
  readonly brand: { readonly name: string } | null
  readonly opensAt?: string | null
  readonly revisedAt?: string | null
}

export interface OptionView {
  readonly label: string
  readonly imageUrl: string | null
  readonly imageAlt: string | null
}

export interface ImageVariant {
  readonly url: string
  readonly width: number
  readonly slot: 'optionA' | 'optionB' | 'combined'
}

/** A theme with every field resolved. */
export interface ThemeView {
  readonly radius: 'NONE' | 'SM' | 'MD' | 'LG' | 'FULL'
  readonly density: 'COMFORTABLE' | 'COMPACT'
  readonly fontStack: 'SYSTEM' | 'SERIF' | 'MONO' | 'ROUNDED'
  readonly titlePlacement: 'ABOVE' | 'BELOW' | 'HIDDEN'
  readonly labelPlacement: 'OVERLAY' | 'BELOW' | 'HIDDEN'
  readonly labelAlign: 'START' | 'CENTER' | 'END'
  readonly elevation: 'NONE' | 'LOW' | 'HIGH'
  readonly hideWatermark: boolean
  /** `#rrggbb`, as are the two that follow. */
  readonly accent: string | null
  readonly background: string | null
  readonly foreground: string | null
  readonly logoLightUrl: string | null
  readonly logoDarkUrl: string | null
}

export type Choice = 'A' | 'B'

export interface RenderOptions {
  /** This visitor's vote. */
  readonly vote?: Choice | null
  /** The vote has not arrived yet, so no result is shown. */
  readonly isKept?: boolean
  /** `auto` follows the visitor's system. */
  readonly scheme?: 'light' | 'dark' | 'auto'
  readonly lang?: string
  readonly hideTitle?: boolean
  readonly hideBrand?: boolean
  /** Its pictures are above the fold: load them eagerly, all others lazily. */
  readonly isFirst?: boolean
}
