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

/** `localStorage` where a page has one and may use it, else memory: that is found out with each call. */
export function browserStore(): KeyValueStore {
  const memory = memoryStore()
  // Where storage is denied, naming it is enough to throw, and so may writing be where naming it was not.
  const attempt = <T>(work: (store: KeyValueStore) => T): T => {
    try {
      return work((globalThis as { localStorage?: KeyValueStore }).localStorage ?? memory)
    } catch {
      return work(memory)
    }
  }
  return {
    getItem: (key) => attempt((store) => store.getItem(key)) ?? memory.getItem(key),
    setItem: (key, value) => attempt((store) => store.setItem(key, value)),
  }
}
