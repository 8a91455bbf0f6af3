import { language } from '../../words/words.ts'

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** "1.2 GB", in the language of the page. */
export function inBytes(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1)
  const unit = UNITS[step] ?? 'byte'
  return new Intl.NumberFormat(language.lang, { style: 'unit', unit, maximumFractionDigits: step < 3 ? 0 : 1 }).format(
    bytes / 1_000 ** step,
  )
}
