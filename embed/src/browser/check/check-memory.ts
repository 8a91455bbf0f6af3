import { entryOf } from '../../../../sdk/src/verify/entry.ts'
import { entryKept, RECEIPTS_KEY } from '../votes/receipts.ts'

/** A checkpoint that this browser has checked, to be compared at the next visit. */
export interface Remembered {
  /** With its signature, so that it is evidence. */
  readonly note: string
  readonly publicKey: string
}

const keyOf = (pollId: string): string => `tossup.log ${pollId}`

export function recall(pollId: string): Remembered | null {
  try {
    const { note, publicKey } = JSON.parse(localStorage.getItem(keyOf(pollId)) ?? '') as Partial<Remembered>
    return typeof note === 'string' && typeof publicKey === 'string' ? { note, publicKey } : null
  } catch {
    return null
  }
}

export function remember(pollId: string, { note, publicKey }: Remembered): void {
  try {
    localStorage.setItem(keyOf(pollId), JSON.stringify({ note, publicKey }))
  } catch {
    // A browser without storage compares nothing, and says so each time: it has not checked this poll before.
  }
}

/** The receipt that an element of another site has put behind the `#`, taken out of the address. */
function handedOver(): string | null {
  const [, option, nonce = ''] = /^#vote=([AB])\.([\w-]{22})$/.exec(location.hash) ?? []
  if (!option) return null
  history.replaceState(null, '', location.pathname + location.search)
  return entryOf(option as 'A' | 'B', nonce)
}

const given = handedOver()

/** The entry of the vote that this browser has cast; null without a receipt. */
export function ownEntry(pollId: string): string | null {
  try {
    return given ?? entryKept(localStorage.getItem(RECEIPTS_KEY), pollId)
  } catch {
    return given
  }
}
