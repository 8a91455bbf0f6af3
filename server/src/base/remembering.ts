import { copied } from './copied.ts'

const MOST_REMEMBERED = 5_000
const SHORT = 128

/**
 * What was found for a short text once is not looked for a second time. For work that depends on the text alone, and whose
 * result may be shared: `isKept` says which may be.
 */
export function remembering<T>(work: (text: string) => T, isKept: (result: T) => boolean): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const earlier = known.get(text)
    if (earlier !== undefined) return earlier
    if (text.length > SHORT) return work(text)
    const own = copied(text)
    const result = work(own)
    if (isKept(result)) {
      if (known.size >= MOST_REMEMBERED) known.clear()
      known.set(own, result)
    }
    return result
  }
}
