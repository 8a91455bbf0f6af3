import type { PollTallies } from '../../../sdk/src/openapi.ts'
import type { KeyValueStore } from '../../../sdk/src/storage.ts'
import type { VoteOrigin } from '../../../sdk/src/voter.ts'
import type { Dress } from '../theme/theme-styles.ts'
import { addressOf } from './address-of.ts'

/** The build of this script, which its parts must have too: the bundler of the service puts it in place of this text. */
const BUILD = '@build@'

let attempts = 0

/** Publishes the objects that the parts share with this script, by build: a page may hold scripts of two builds. */
export const share = (once: readonly unknown[]): void =>
  void Object.assign(globalThis, { [Symbol.for(`tossup ${BUILD}`)]: once })

const loaded = new Map<string, Promise<unknown>>()

/** Starts the work of a name once. After a failure the next caller starts it again. */
export function startOnce<Made>(name: string, start: () => Promise<Made>): Promise<Made> {
  const known = loaded.get(name) ?? start()
  loaded.set(name, known)
  known.catch(() => loaded.delete(name))
  return known as Promise<Made>
}

export const load = <Part>(name: string): Promise<Part> =>
  startOnce(name, () => {
    // A browser remembers a module that failed, so each attempt has an address of its own.
    const attempt = attempts > 0 ? `&attempt=${attempts}` : ''
    const part = import(addressOf(`/embed/parts/${name}?build=${BUILD}${attempt}`))
    part.catch(() => {
      attempts++
      // This script may be an older one from the cache: the next page gets the present one.
      fetch(addressOf('/embed.js'), { cache: 'reload' }).catch(() => undefined)
    })
    return part
  })

/** The exports of `entries/after.ts`. */
interface After {
  followTallies(slug: string, onTold: (told: PollTallies) => void): () => void
  hearFrame(message: MessageEvent): void
  keepMemory(memory: Map<string, string>, kept: KeyValueStore): boolean
  lead(place: Element, state: object): void
  playResult(place: Element): void
  sayResult(element: Element, state: object): string
}

/** The part for after a vote, once it is loaded: a result does not wait for it. */
export let after: After | undefined

/** Loads the part for after a vote and passes it to `use`. A failed load is ignored: nothing essential is missing. */
export const withAfter = (use: (part: After) => void): void =>
  void load<After>('after').then(
    (part) => {
      after = part
      use(part)
    },
    () => undefined,
  )

/** The exports of `entries/before.ts`. */
export interface Before {
  before(card: object, place: Element, state: object): void
}

/** The exports of `entries/ask.ts`. */
export interface Ask {
  ask(card: object, place: Element, state: object, pressed?: string): void
}

/** The exports of `entries/code.ts`. */
export interface CodePart {
  admit(card: object, place: Element, state: object): void
  codeOf(element: Element, brandSlug: string): string | undefined
}

/** The exports of `entries/later.ts`. */
export interface Later {
  send(waitMs: number): void
  seen(place: Element, poll: string | undefined, origin: VoteOrigin, end: AbortSignal): void
}

/** The exports of `entries/receipt.ts`. */
export interface ReceiptPart {
  keepReceipt(poll: string, option: 'A' | 'B'): Promise<unknown>
  offerCheck(place: Element, state: object): Promise<void>
}

/** The export of `entries/brand.ts` that the end of a campaign uses. */
export interface BrandPart {
  farewell(element: Element, place: Element, campaign: object): () => void
}

/** The exports of `entries/dress.ts`. */
interface DressPart {
  dressOf(theme: Dress, element: HTMLElement): string
}

/** Loads the part that styles a theme; null if it cannot be loaded. */
export const loadDress = (): Promise<DressPart | null> => load<DressPart>('dress').catch(() => null)
