import { Cache } from './cache.ts'
import { copied } from './copied.ts'

const MOST_REMEMBERED = 5_000
const SHORT = 128

/** Memoises `work` for short texts. The result must depend on the text alone; `isKept` decides which results to cache. */
export function memoise<T extends NonNullable<unknown> | null>(
  work: (text: string) => T,
  isKept: (result: T) => boolean,
): (text: string) => T {
  const known = new Cache<string, T>(MOST_REMEMBERED)
  return (text) => {
    const earlier = known.get(text)
    if (earlier !== undefined) return earlier
    if (text.length > SHORT) return work(text)
    const own = copied(text)
    const result = work(own)
    if (isKept(result)) known.set(own, result)
    return result
  }
}
