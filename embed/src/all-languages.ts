import { LANGUAGES } from './languages.ts'
import { type Lang, learn } from './words.ts'

// On a server every language is spoken from the beginning.
for (const [lang, words] of Object.entries(LANGUAGES)) learn(lang as Lang, words)
