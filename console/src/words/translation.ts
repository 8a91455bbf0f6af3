import type { en } from './en.ts'

/** What a language must say: one that lacks a text does not compile. */
export type Words = typeof en
