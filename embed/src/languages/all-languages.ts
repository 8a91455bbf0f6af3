import { LANGUAGES } from '../languages.ts'
import { type Lang, learn } from '../words.ts'

// The server registers every language at start.
for (const [lang, words] of Object.entries(LANGUAGES)) learn(lang as Lang, words)
