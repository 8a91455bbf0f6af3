import { ar } from './languages/ar.ts'
import { de } from './languages/de.ts'
import { en } from './languages/en.ts'
import { es } from './languages/es.ts'
import { fr } from './languages/fr.ts'
import { hi } from './languages/hi.ts'
import { ja } from './languages/ja.ts'
import { pt } from './languages/pt.ts'
import { uk } from './languages/uk.ts'
import { zh } from './languages/zh.ts'
import type { Lang, Words } from './words.ts'

/** Pages include one of these; elements load the one that they need. */
export const LANGUAGES: Readonly<Record<Lang, Words>> = { en, de, fr, es, pt, ja, zh, ar, hi, uk }
