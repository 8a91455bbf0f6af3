import type { Tallies } from '../openapi.ts'

/** Attributes that every element takes. */
export interface TossupAttributes {
  /** Default: `auto`, the `color-scheme` of the page. */
  theme?: 'light' | 'dark' | 'auto' | undefined
  /** `rrggbb`, instead of the theme's. */
  accent?: string | undefined
  hideTitle?: boolean | '' | undefined
  hideBrand?: boolean | '' | undefined
  /** Hides sharing and the next poll after a vote. */
  hideAfter?: boolean | '' | undefined
  /** Nothing is stored in the browser, and nothing is read from its storage, until the attribute is removed. */
  storage?: 'none' | undefined
  /** The place that leads to the poll, such as `newsletter`: 1 to 40 of `a-z0-9_-`, sent with votes and views. */
  source?: string | undefined
  /** A press on an option chooses it, and a second press votes: against taps by accident. */
  confirm?: boolean | '' | undefined
  /** Polls with `admission: 'code'`: the code of the person who votes. As a property it is in no markup. */
  code?: string | undefined
  /** Polls with `admission: 'code'`: after each vote the next person enters their code, and nothing of the last one is left. */
  kiosk?: boolean | '' | undefined
  /** Default: the page's language. */
  lang?: string | undefined
}

export interface TossupPollAttributes extends TossupAttributes {
  /** The shortId of the poll, its slug or its id. */
  poll: string
}

export interface TossupCampaignAttributes extends TossupAttributes {
  /** The id of the campaign. */
  campaign: string
  /** `false` waits until “Next” is pressed. */
  autoAdvance?: 'false' | 'true' | undefined
}

export interface TossupFeedAttributes extends TossupAttributes {
  /** The slug of the brand. */
  brand: string
}

/** The `detail` of each event, by its name without `tossup:` or `tossup-`. */
export interface TossupDetails {
  ready: { readonly poll?: string; readonly campaign?: string; readonly brand?: string }
  voted: {
    readonly poll: string
    readonly option: 'A' | 'B'
    readonly tallies: Tallies
    readonly votedAt: string
  }
  step: { readonly campaign: string; readonly completedSteps: number; readonly totalSteps: number }
  completed: { readonly campaign: string; readonly totalSteps: number }
  error: { readonly code: string; readonly poll?: string }
}

type Details = TossupDetails

/** Every event has two names: the second is for templates that read a colon as something else. */
export type TossupEvents = {
  [Name in keyof Details as `tossup:${Name}` | `tossup-${Name}`]: CustomEvent<Details[Name]>
}

/** Listeners as React 19 and Svelte 5 take them: `ontossup-voted`. */
export type TossupListeners = {
  [Name in keyof Details as `ontossup-${Name}`]?: ((event: CustomEvent<Details[Name]>) => void) | undefined
}

/** Listeners as Vue names them: `@tossup-voted` in a template is `onTossupVoted`. */
export type TossupVueListeners = {
  [Name in keyof Details as `onTossup${Capitalize<Name>}`]?: ((event: CustomEvent<Details[Name]>) => void) | undefined
}

interface Elements {
  'tossup-poll': TossupPollAttributes
  'tossup-campaign': TossupCampaignAttributes
  'tossup-feed': TossupFeedAttributes
}

/** Elements in TSX and Svelte, beside the attributes of every HTML element. */
type Tags<Html> = { [Tag in keyof Elements]: Elements[Tag] & TossupListeners & Omit<Html, keyof TossupAttributes> }

/** Elements in the templates of Vue. */
type VueTags = { [Tag in keyof Elements]: new () => { $props: Elements[Tag] & TossupVueListeners } }

/** @ts-ignore TS2307: React need not be installed. */
type ReactHtml = import('react').DetailedHTMLProps<import('react').HTMLAttributes<HTMLElement>, HTMLElement>

/** @ts-ignore TS2307: Svelte need not be installed. */
type SvelteHtml = import('svelte/elements').HTMLAttributes<HTMLElement>

declare global {
  interface HTMLElementTagNameMap extends Record<keyof Elements, HTMLElement> {}
  interface GlobalEventHandlersEventMap extends TossupEvents {}
}

/** @ts-ignore TS2664: React need not be installed. */
declare module 'react' {
  namespace JSX {
    interface IntrinsicElements extends Tags<ReactHtml & { class?: string | undefined }> {}
  }
}

/** @ts-ignore TS2664: Vue need not be installed. */
declare module 'vue' {
  interface GlobalComponents extends VueTags {}
}

/** @ts-ignore TS2664: Svelte need not be installed. */
declare module 'svelte/elements' {
  interface SvelteHTMLElements extends Tags<SvelteHtml> {}
}
