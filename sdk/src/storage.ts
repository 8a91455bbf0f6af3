type Maybe<T> = T | Promise<T>

/** Where something is kept between visits: `localStorage`, React Native's AsyncStorage, or anything alike. */
export interface KeyValueStore {
  getItem(key: string): Maybe<string | null>
  setItem(key: string, value: string): Maybe<unknown>
}

/** Kept as long as the program runs. */
export function memoryStore(): KeyValueStore {
  const values = new Map<string, string>()
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => values.set(key, value),
  }
}

interface PageStore {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
}

/** `localStorage` where a page has one and may use it, else memory: that is found out with each call. */
export function browserStore(): KeyValueStore {
  // What could not be written is newer than what stands there: a full storage can still be read.
  const unwritten = new Map<string, string>()
  // Where there is none, or it is denied, naming it is enough to throw.
  const place = globalThis as unknown as { readonly localStorage: PageStore }
  return {
    getItem(key) {
      try {
        return unwritten.get(key) ?? place.localStorage.getItem(key)
      } catch {
        return null
      }
    },
    setItem(key, value) {
      try {
        place.localStorage.setItem(key, value)
        unwritten.delete(key)
      } catch {
        unwritten.set(key, value)
      }
    },
  }
}
