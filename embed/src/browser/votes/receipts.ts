/** The storage key of receipts: a list of poll, entry and nonce, the newest last. Nothing else is kept of a vote. */
export const RECEIPTS_KEY = 'tossup.receipts'
export const MOST_RECEIPTS = 500

export type KeptReceipt = readonly [poll: string, entry: string, nonce: string]

/** Ignores foreign values in the storage. */
export function receiptsIn(text: string | null): KeptReceipt[] {
  try {
    const kept = JSON.parse(text ?? '') as unknown[]
    return kept.filter(
      (each): each is KeptReceipt => Array.isArray(each) && each.every((part) => typeof part === 'string'),
    )
  } catch {
    return []
  }
}

export const receiptKept = (text: string | null, pollId: string): KeptReceipt | null =>
  receiptsIn(text).find(([poll]) => poll === pollId) ?? null

export const entryKept = (text: string | null, pollId: string): string | null => receiptKept(text, pollId)?.[1] ?? null
