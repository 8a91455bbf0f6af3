import type { Lang } from '../../../embed/src/words.ts'
import { ar } from './ar.ts'
import { de } from './de.ts'
import { en, type Translation, type Words } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { hi } from './hi.ts'
import { ja } from './ja.ts'
import { pt } from './pt.ts'
import { uk } from './uk.ts'
import { zh } from './zh.ts'

/** The words of a language, with the English ones in place of those that it lacks. */
export function completed<Texts extends object>(english: Texts, own: Translation<Texts> | undefined): Texts {
  const texts = Object.entries(english).map(([name, text]) => {
    const given: unknown = own?.[name as keyof Texts]
    const isGroup = typeof text === 'object' && text !== null && !Array.isArray(text)
    return [name, isGroup ? completed(text, given as Translation<object>) : (given ?? text)]
  })
  return Object.fromEntries(texts) as Texts
}

export const WORDS: Readonly<Record<Lang, Words>> = {
  en,
  de: completed(en, de),
  fr: completed(en, fr),
  es: completed(en, es),
  pt: completed(en, pt),
  ja: completed(en, ja),
  zh: completed(en, zh),
  ar: completed(en, ar),
  hi: completed(en, hi),
  uk: completed(en, uk),
}

/** Replaces each `{name}` by its value, which is text and never markup. */
export const filled = (words: string, values: Readonly<Record<string, string>>): string =>
  words.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
