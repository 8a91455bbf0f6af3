type Maybe<T> = T | Promise<T>

/** Storage between visits: `localStorage`, React Native's AsyncStorage, or anything with the same methods. */
export interface KeyValueStore {
  getItem(key: string): Maybe<string | null>
  setItem(key: string, value: string): Maybe<unknown>
}

/** In memory, for as long as the program runs. */
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

/** `localStorage` where it is available, else memory, checked at each call. */
export function browserStore(): KeyValueStore {
  // A value that could not be written is newer than the stored one: a full storage can still be read.
  const unwritten = new Map<string, string>()
  // Where storage is missing or denied, even the access throws.
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
