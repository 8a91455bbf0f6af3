import { etagOf, isTossupError, type OwnedPoll, type PollUpdate, type Tossup } from '../../../../sdk/src/index.ts'
import { messageOf } from '../../parts/messages/messages.ts'
import { closeNow } from '../../parts/polls/close-now.ts'
import { stateOf } from '../../parts/polls/poll-parts.tsx'
import { listingWords } from '../../words/listing-words.ts'
import type { ListedPoll } from './use-poll-pages.ts'

/** One change of many polls. A time that is null stays as each poll has it. */
export type BulkChange =
  | { readonly kind: 'archived' | 'back' | 'closed' }
  | { readonly kind: 'scheduled'; readonly opensAt: string | null; readonly closesAt: string | null }
  | { readonly kind: 'tagged' | 'untagged'; readonly tag: string }

export interface Failure {
  readonly poll: ListedPoll
  readonly reason: string
}

/** A change that was made, and how to take it back. */
export interface Done {
  readonly poll: ListedPoll
  /** Null where the poll was so already. */
  readonly undo: { readonly body: PollUpdate; readonly etag: string } | null
}

export interface Outcome {
  readonly done: readonly Done[]
  readonly failed: readonly Failure[]
}

const isSame = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()

/** The fields that a change writes. Throws where it does not fit the poll. */
function bodyOf(change: BulkChange, poll: OwnedPoll): PollUpdate {
  switch (change.kind) {
    case 'archived':
      return { archived: true }
    case 'back':
      return { archived: false }
    case 'closed':
      if (stateOf(poll) !== 'open') throw new Error(listingWords().bulk.notOpen)
      return { closesAt: new Date().toISOString() }
    case 'scheduled':
      return { opensAt: change.opensAt ?? undefined, closesAt: change.closesAt ?? undefined }
    case 'tagged':
      return poll.tags.some((tag) => isSame(tag, change.tag)) ? {} : { tags: [...poll.tags, change.tag] }
    case 'untagged':
      return { tags: poll.tags.filter((tag) => !isSame(tag, change.tag)) }
  }
}

/** The same fields as they are now. */
const fieldsBefore = (body: PollUpdate, { archivedAt, opensAt, closesAt, tags }: OwnedPoll): PollUpdate => {
  const before = { archived: archivedAt !== null, opensAt, closesAt, tags: [...tags] }
  const written = (Object.keys(before) as (keyof typeof before)[]).filter((name) => body[name] !== undefined)
  return Object.fromEntries(written.map((name) => [name, before[name]]))
}

/** With the version that was just read, so that nobody's change between is lost. */
async function changeOne(tossup: Tossup, poll: ListedPoll, change: BulkChange): Promise<Done> {
  const before = await tossup.getOwnPoll(poll.id)
  const body = bodyOf(change, before)
  const back = fieldsBefore(body, before)
  if (JSON.stringify(back) === JSON.stringify({ ...back, ...body })) return { poll, undo: null }
  const ifMatch = etagOf(before)
  const now = await (change.kind === 'closed'
    ? closeNow(tossup, poll.id, ifMatch)
    : tossup.updatePoll(poll.id, body, { ifMatch }))
  return { poll, undo: { body: back, etag: etagOf(now) } }
}

async function undoOne(tossup: Tossup, { poll, undo }: Done): Promise<Done> {
  if (undo) await tossup.updatePoll(poll.id, undo.body, { ifMatch: undo.etag })
  return { poll, undo: null }
}

const AT_ONCE = 5

interface Work<Item> {
  readonly items: readonly Item[]
  readonly run: (item: Item) => Promise<Done>
  readonly pollOf: (item: Item) => ListedPoll
  readonly onProgress?: ((count: number) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** A few at a time. A refusal is of its poll alone; without the service, the others are left. */
async function each<Item>({ items, run, pollOf, onProgress, signal }: Work<Item>): Promise<Outcome> {
  const waiting = [...items]
  const done: Done[] = []
  const failed: Failure[] = []
  let isOver = false
  const work = async () => {
    for (let item = waiting.shift(); item !== undefined && !isOver; item = waiting.shift()) {
      try {
        done.push(await run(item))
      } catch (error) {
        isOver ||= isTossupError(error, 'NETWORK_ERROR') || isTossupError(error, 'UNAUTHORIZED')
        const { changed } = listingWords().bulk
        const reason = isTossupError(error, 'PRECONDITION_FAILED') ? changed : messageOf(error)
        failed.push({ poll: pollOf(item), reason })
      }
      onProgress?.(done.length + failed.length)
      isOver ||= signal?.aborted === true
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return { done, failed }
}

type Watching = Pick<Work<never>, 'onProgress' | 'signal'>

export const changePolls = (
  tossup: Tossup,
  { polls, change }: { readonly polls: readonly ListedPoll[]; readonly change: BulkChange },
  watching: Watching,
): Promise<Outcome> =>
  each({ items: polls, run: (poll) => changeOne(tossup, poll, change), pollOf: (poll) => poll, ...watching })

export const undoChanges = (tossup: Tossup, done: readonly Done[]): Promise<Outcome> =>
  each({ items: done, run: (item) => undoOne(tossup, item), pollOf: ({ poll }) => poll })
