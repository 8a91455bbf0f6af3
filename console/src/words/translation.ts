import type { en } from './en.ts'

/** The texts of the first load. */
export type Words = typeof en

/** A translation may lack texts: the bundle of the console has the English ones in their place, and `npm run check` lists them. */
export type Translation<Texts> = {
  readonly [Name in keyof Texts]?: Texts[Name] extends string ? string : Translation<Texts[Name]>
}
