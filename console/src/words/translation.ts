import type { en } from './en.ts'

/** The texts of a language: a translation that lacks one does not compile. */
export type Words = typeof en
