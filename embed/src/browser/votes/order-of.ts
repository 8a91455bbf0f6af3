import type { Order } from '../../poll-view.ts'
import type { ServedPoll } from '../service.ts'
import { pageStore } from './page-store.ts'

const KEY = 'tossup.orders'
/** Some 500 polls, as `<id>:BA`. An entry that is cut at the front names no poll. */
const MOST_CHARACTERS = 20_000

/** The orders of this page. A page of ours has drawn some before its first paint: see `inline-scripts.ts` of the server. */
const page = globalThis as { tossupOrders?: Record<string, Order> }
page.tossupOrders ??= {}
const drawn = page.tossupOrders

/** The order in which this device sees the options: drawn once and kept. Undefined where the poll has one order for all. */
export function orderOf({ id, optionA }: Pick<ServedPoll, 'id' | 'optionA'>): Order | undefined {
  if (!optionA.shuffled) return undefined
  const text = `${pageStore.getItem(KEY) ?? ''}`
  const kept = text.match(`${id}:(AB|BA)`)?.[1] as Order | undefined
  drawn[id] ??= kept ?? (Math.random() < 0.5 ? 'AB' : 'BA')
  if (!kept) void pageStore.setItem(KEY, `${text} ${id}:${drawn[id]}`.slice(-MOST_CHARACTERS))
  return drawn[id]
}
