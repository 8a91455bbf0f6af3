import type { en } from './en.ts'

export type Words = typeof en

type Partly<Texts> = { readonly [Name in keyof Texts]?: Texts[Name] extends string ? string : Partly<Texts[Name]> }

/** A language as it is written. What it lacks is in English: `bundle.ts` adds it, so that a browser loads one file. */
export type Translation = Partly<Words>
