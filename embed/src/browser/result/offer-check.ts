import { load, type ReceiptPart } from '../parts.ts'
import type { PollState } from '../votes/poll-model.ts'

/** After the motion of the result, which the script would disturb. */
const LATER_MS = 1_500

/** Below a result a link leads to the page that counts again, and the receipt of a vote is kept. A result is complete without both. */
export const offerCheck = (place: Element, state: PollState): void =>
  void setTimeout(
    () =>
      load<ReceiptPart>('receipt').then(
        (part) => part.offerCheck(place, state),
        () => undefined,
      ),
    LATER_MS,
  )
