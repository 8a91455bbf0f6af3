import type { OwnedPoll, Tossup } from '../../../../sdk/src/index.ts'
import { uploadAll } from '../../parts/pictures/upload-all.ts'
import { createBody, type PollDraft, placingOf, updateBody } from './poll-draft.ts'

interface Saving {
  readonly tossup: Tossup
  readonly draft: PollDraft
  /** Null where the poll is new. */
  readonly before: OwnedPoll | null
  readonly isDraft: boolean
  /** The version that the form began with. */
  readonly etag: string | undefined
  /** Called as soon as the poll exists, so that another attempt changes it instead of making another. */
  readonly onStored: (poll: OwnedPoll) => void
  readonly onProgress: (slot: Slot, share: number) => void
}

const SLOTS = ['optionA', 'optionB'] as const
export type Slot = (typeof SLOTS)[number]

/**
 * Writes the poll, then its pictures, whose uploads need a poll. A new poll with pictures is a draft until they are there, so
 * that nobody votes on a poll without them.
 */
export async function savePoll(saving: Saving): Promise<OwnedPoll> {
  const { tossup, draft, before, isDraft, etag, onStored, onProgress } = saving
  const files = SLOTS.flatMap((name) => {
    const file = draft[name].picture?.file
    return file ? [{ name, file }] : []
  })
  const isEarly = files.length > 0
  const stored = before
    ? await tossup.updatePoll(
        before.id,
        { ...updateBody(draft, before), ...(isEarly || isDraft === before.isDraft ? {} : { isDraft }) },
        { ifMatch: etag },
      )
    : await tossup.createPoll({ ...createBody(draft), isDraft: isDraft || isEarly })
  onStored(stored)
  if (!isEarly) return stored
  const uploaded = await uploadAll({
    tossup,
    files,
    ticketOf(slot, { type, size: byteSize }, signal) {
      const contentType = type as 'image/png' | 'image/jpeg' | 'image/webp'
      return tossup.createPollImageTicket(stored.id, { slot, contentType, byteSize }, { signal })
    },
    onProgress,
  })
  const pictures = Object.fromEntries(
    uploaded.map(([slot, imageUrl]) => [slot, { imageUrl, ...placingOf(draft[slot]) }]),
  )
  const published = await tossup.updatePoll(stored.id, {
    ...pictures,
    ...(stored.isDraft === isDraft ? {} : { isDraft }),
  })
  onStored(published)
  return published
}
