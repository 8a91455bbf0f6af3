import { browserStore, type KeyValueStore } from '../../../../sdk/src/storage.ts'
import { withAfter } from '../parts.ts'

const kept = browserStore()
/** Remembered for as long as the page is open, while an element says `storage="none"`. */
const memory = new Map<string, string>()
let isDenied = false

/** The storage of this page: neither read nor written until the page has consent. */
export const pageStore: KeyValueStore = {
  getItem: (key) => (isDenied ? (memory.get(key) ?? null) : kept.getItem(key)),
  setItem: (key, value) => void (isDenied ? memory.set(key, value) : kept.setItem(key, value)),
}

/** Called when an element comes and when it changes: an element with `storage="none"` speaks for the whole page. */
export function heedStorage(element: Element): void {
  if (element.getAttribute('storage') === 'none') isDenied = true
  else if (isDenied) {
    withAfter(({ keepMemory }) => {
      isDenied = !keepMemory(memory, kept)
    })
  }
}
