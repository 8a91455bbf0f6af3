import { LANGS, type Lang } from '../../../embed/src/words.ts'
import { listedIn } from './negotiate.ts'

/** The visitor's most preferred language among the supported ones. */
export function preferredLang(acceptLanguage: string | null): Lang {
  const asked = listedIn(acceptLanguage ?? '').map((range) => {
    const [tag = '', quality = 'q=1'] = range.split(';', 2).map((part) => part.trim().toLowerCase())
    return { base: tag.split('-')[0], quality: Number(quality.replace(/^q=/, '')) || 0 }
  })
  const known = asked
    .toSorted((left, right) => right.quality - left.quality)
    .flatMap(({ base, quality }) => (quality > 0 ? LANGS.filter((lang) => lang === base) : []))
  return known[0] ?? 'en'
}
