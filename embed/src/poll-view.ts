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
  readonly brand: { readonly name: string; readonly slug?: string } | null
  readonly opensAt?: string | null
  readonly closesAt?: string | null
  /** Single polls only. */
  readonly resultsVisibility?: 'always' | 'after_vote' | 'after_close' | 'never'
  /** Single polls only. */
  readonly resultsBeforeVote?: boolean
  readonly revisedAt?: string | null
  /** Single polls only, like `revisedAt`. */
  readonly shortId?: string
}

export interface OptionView {
  readonly label: string
  readonly imageUrl: string | null
  readonly imageAlt: string | null
  /** Absent, as are the two that follow, in answers that were cached before they existed: `cover`, 0.5 and 0.5. */
  readonly fit?: 'cover' | 'contain'
  /** From 0, the left edge of the picture, to 1. */
  readonly focusX?: number
  /** From 0, the top of the picture, to 1. */
  readonly focusY?: number
  /** Each device draws which option comes first. */
  readonly shuffled?: true | undefined
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
  readonly fontStack: 'SYSTEM' | 'SERIF' | 'MONO' | 'ROUNDED' | 'MANROPE' | 'INHERIT'
  readonly titlePlacement: 'ABOVE' | 'BELOW' | 'HIDDEN'
  readonly labelPlacement: 'OVERLAY' | 'BELOW' | 'HIDDEN'
  readonly labelAlign: 'START' | 'CENTER' | 'END'
  readonly elevation: 'NONE' | 'LOW' | 'HIGH'
  readonly hideWatermark: boolean
  /** Absent, as are the three that follow, in answers that were cached before they existed: the first value. */
  readonly motion?: 'FULL' | 'NONE'
  readonly colorScheme?: 'AUTO' | 'LIGHT' | 'DARK' | 'HOST'
  readonly shareResults?: 'HIDDEN' | 'SHOWN'
  readonly embedStorage?: 'ASK' | 'ALLOW'
  /** `#rrggbb`, as are the two that follow. */
  readonly accent: string | null
  readonly background: string | null
  readonly foreground: string | null
  readonly logoLightUrl: string | null
  readonly logoDarkUrl: string | null
  readonly customCssUrl?: string | null
}

export type Choice = 'A' | 'B'

/** The letters of the options, in the order in which they are seen. */
export type Order = 'AB' | 'BA'

export interface RenderOptions {
  /** This visitor's vote. */
  readonly vote?: Choice | null
  /** The vote has not arrived yet, so no result is shown. */
  readonly isKept?: boolean
  /** The order of the options; absent where it is fixed, and on the server. */
  readonly shown?: Order | undefined
  /** The visitor asked for the results before a vote. */
  readonly areSeen?: boolean
  /** Lays the parts of a result out before there is one, unseen and empty: then the vote only has to show them. */
  readonly isPrepared?: boolean
  /** The `color-scheme` of the host page: a page without one is light. */
  readonly colorScheme?: string
  readonly lang?: string
  readonly hideTitle?: boolean
  readonly hideBrand?: boolean
  /** Pictures of the first poll are above the fold: load them eagerly, all others lazily. */
  readonly isFirst?: boolean
  /** The present on the visitor's clock; absent on the server. */
  readonly now?: number
  /** The origin of the service, for links; absent on its own pages. */
  readonly home?: string
}
