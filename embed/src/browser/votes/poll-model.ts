import { isTossupError } from '../../../../sdk/src/errors.ts'
import type { Vote } from '../../../../sdk/src/openapi.ts'
import type { Outcome } from '../../../../sdk/src/vote-queue.ts'
import type { VoteOrigin } from '../../../../sdk/src/voter.ts'
import { mayArriveLater } from '../../../../sdk/src/wire/waiting-votes.ts'
import type { Choice, Order } from '../../poll-view.ts'
import { SLOTS } from '../../render/render-choice.ts'
import type { Trouble } from '../../words.ts'
import { isPreview } from '../is-preview.ts'
import { withAfter } from '../parts.ts'
import { afterFrame } from '../result/after-frame.ts'
import { codeOf, isMissing, type ServedPoll, voter } from '../service.ts'
import { findKept, hearOf, keepVote, sendKept } from './kept-votes.ts'
import { orderOf } from './order-of.ts'
import { type Place, places, type SeenVote, tellHere } from './same-votes.ts'
import { hasVotedOn, noteVote } from './voted-polls.ts'

/** After this long without an answer the vote is shown as kept. */
const PATIENCE_MS = 2_000

export interface PollState {
  /** Null until it is known. */
  readonly poll: ServedPoll | null
  /** Shown optimistically, and reverted when the service refuses it. */
  readonly vote: Choice | null
  /** The vote did not arrive and will be sent again. */
  readonly isKept: boolean
  readonly trouble: Trouble | null
  /** The order of the options, where this device has drawn it. */
  readonly shown?: Order | undefined
}

const NO_VOTE = { vote: null, isKept: false } as const

/** The code is no part of an origin: a place that keeps an origin must not keep a code. */
export interface CodedOrigin extends VoteOrigin {
  readonly code?: string | undefined
}

/** The polls whose votes are on their way: the service does not know these votes yet. */
const sending = new Set<string>()

interface Listener {
  changed(): void
  voted(vote: Vote): void
  failed(error: { readonly code: string }): void
}

/** One poll and this visitor's vote. Knows nothing of the DOM. */
export class PollModel implements Place {
  readonly #reference: string
  readonly #listener: Listener
  #state: PollState = { poll: null, ...NO_VOTE, trouble: null }
  #unfollow: (() => void) | null = null
  #unhear: (() => void) | null = null
  /** Whether the tallies are public: those that only voters see are not in the stream. */
  #isOpenToAll = false
  #isOver = false

  constructor(reference: string, listener: Listener) {
    this.#reference = reference
    this.#listener = listener
  }

  get state(): PollState {
    return this.#state
  }

  /** Starts with the poll of the page, or loads it. */
  async start(given: ServedPoll | null): Promise<void> {
    try {
      const poll = given ?? ((await voter.getPoll(this.#reference)) as ServedPoll)
      this.#isOpenToAll = !poll.tallies.hidden
      const kept = poll.status === 'open' ? await findKept(poll.id) : null
      // A vote by code is found by its code: see admit.ts.
      const own = poll.admission === 'code' || kept ? null : await this.#ownVote(poll.id)
      this.#set({
        poll: own ? { ...poll, tallies: own.tallies } : poll,
        vote: own?.option ?? kept,
        isKept: kept !== null,
        trouble: null,
        // It stays as it is seen, also where the poll changes meanwhile.
        shown: orderOf(poll),
      })
      if (!this.#isOver) places.add(this)
      if (kept) this.#hear(poll.id)
      if (own) this.#follow()
      // A poll of a list comes without its times and the visibility of its results.
      if (!poll.resultsVisibility && (poll.tallies.hidden || poll.status !== 'open')) await this.refresh()
    } catch (error) {
      this.#set({ trouble: isMissing(error) ? 'unavailable' : 'unreachable' })
      this.#listener.failed({ code: codeOf(error) })
    }
  }

  /** Asks again: the poll may have opened or closed. A voter keeps what only voters see. */
  async refresh(): Promise<void> {
    const now = (await voter.getPoll(this.#reference).catch(() => null)) as ServedPoll | null
    const { poll, vote } = this.#state
    if (poll && now)
      this.#set({ poll: { ...poll, ...now, tallies: (vote && now.tallies.hidden ? poll : now).tallies } })
  }

  async vote(option: Choice, from: CodedOrigin): Promise<void> {
    const { poll, vote, shown } = this.#state
    if (!poll || vote !== null || poll.status !== 'open' || (!from.code && poll.admission === 'code')) return
    this.#set({ poll: counted(poll, option), vote: option, trouble: null })
    if (isPreview()) return
    // Sending computes as long as drawing: the frame with the result comes first.
    await afterFrame()
    // Before it is sent: a page that is left meanwhile may never hear that it counted, and the next one asks.
    if (!from.code) void noteVote(poll.id)
    sending.add(poll.id)
    const origin = { ...from, shown }
    try {
      const retries = navigator.onLine ? 2 : 0
      const cast = await voter.castVote(poll.id, option, { ...origin, retries, patienceMs: PATIENCE_MS })
      this.#settle(poll, cast)
      tellHere(poll.id, cast, this)
      this.#listener.voted(cast)
    } catch (error) {
      // A code is never stored beside an option, so a vote by code does not wait: see docs/decisions/014-embeds.md.
      if (from.code || !mayArriveLater(error)) return this.#refused(poll, error)
      this.#hear(poll.id)
      const kept = await keepVote(poll.id, option, { origin, error })
      const trouble = isTossupError(error, 'RATE_LIMITED') ? 'slowDown' : null
      this.#set({ poll, vote: kept, isKept: true, trouble })
      this.#listener.failed({ code: error.code })
    } finally {
      sending.delete(poll.id)
    }
  }

  /** After a press of the retry button, or when the network is back. */
  tryAgain(): void {
    const { poll, isKept, trouble } = this.#state
    if (isKept) sendKept()
    else if (!poll && trouble) {
      this.#set({ trouble: null })
      void this.start(null)
    }
  }

  isOf(name: string): boolean {
    return [this.#state.poll?.id, this.#state.poll?.shortId].includes(name)
  }

  /** The poll was voted on in another place. It is one vote. */
  see({ option, tallies }: SeenVote): void {
    const { poll, isKept } = this.#state
    if (!poll || isKept) return
    this.#set({ poll: { ...poll, tallies }, vote: option, trouble: null })
    this.#follow()
  }

  stop(): void {
    this.#isOver = true
    this.#unfollow?.()
    this.#unfollow = null
    this.#unhear?.()
    places.delete(this)
  }

  #hear(pollId: string): void {
    // After the step was left, another model hears of the vote.
    if (!this.#isOver) this.#unhear = hearOf(pollId, (outcome) => void this.#heard(outcome))
  }

  async #heard(outcome: Outcome | null): Promise<void> {
    const { poll, vote } = this.#state
    if (!poll) return
    if (outcome?.kind === 'refused') return this.#refused(poll, outcome.error)
    if (outcome?.kind === 'expired') return this.#set({ ...NO_VOTE, trouble: 'expired' })
    const own = (outcome?.vote.tallies && (outcome.vote as Vote)) ?? (await this.#ownVote(poll.id, true))
    if (!own) return this.#set({ isKept: false, trouble: null })
    const isOurs = own.option === vote
    this.#settle(poll, own, isOurs ? null : 'votedBefore')
    if (outcome && isOurs) {
      tellHere(poll.id, own, this)
      this.#listener.voted(own)
    } else if (outcome) this.#listener.failed({ code: 'VOTE_ALREADY_CAST' })
  }

  /** The service's answer wins: an earlier vote, or the close of the poll, is shown. */
  async #refused(poll: ServedPoll, error: unknown): Promise<void> {
    if (isTossupError(error, 'VOTE_ALREADY_CAST')) await this.#showEarlier(poll, 'votedBefore')
    else if (isTossupError(error, 'POLST_CLOSED')) {
      const now = await voter.getPoll(poll.id).catch(() => null)
      const shown = { ...poll, ...now, brand: poll.brand, status: error.details.status }
      await this.#showEarlier(shown, error.details.existingVote ? 'votedBefore' : 'late')
    } else if (isTossupError(error, 'NOT_FOUND')) this.#set({ poll: null, ...NO_VOTE, trouble: 'unavailable' })
    else this.#set({ poll, ...NO_VOTE, trouble: 'notSent' })
    this.#listener.failed({ code: codeOf(error) })
  }

  async #showEarlier(poll: ServedPoll, trouble: Trouble): Promise<void> {
    const own = trouble === 'votedBefore' ? await this.#ownVote(poll.id, true) : null
    if (own) {
      this.#settle(poll, own, trouble)
      tellHere(poll.id, own, this)
    } else this.#set({ poll, ...NO_VOTE, trouble })
  }

  #settle(poll: ServedPoll, { option, tallies }: Vote, trouble: Trouble | null = null): void {
    this.#set({ poll: { ...poll, tallies }, vote: option, isKept: false, trouble })
    void noteVote(poll.id)
    this.#follow()
  }

  #follow(): void {
    const { poll } = this.#state
    if (this.#unfollow || this.#isOver || !poll || poll.status !== 'open' || !this.#isOpenToAll) return
    this.#unfollow = () => undefined
    withAfter(({ followTallies }) => {
      if (this.#isOver) return
      this.#unfollow = followTallies(poll.slug, ({ status, tallies }) => {
        const { poll: present } = this.#state
        if (present) this.#set({ poll: { ...present, status, tallies } })
      })
    })
  }

  /** Null also where it cannot be read now: a repeated vote is answered with the first one. */
  async #ownVote(pollId: string, isKnown = false): Promise<Vote | null> {
    return isKnown || (!sending.has(pollId) && (await hasVotedOn(pollId)))
      ? voter.getOwnVote(pollId).catch(() => null)
      : null
  }

  #set(change: Partial<PollState>): void {
    this.#state = { ...this.#state, ...change }
    if (!this.#isOver) this.#listener.changed()
  }
}

/** The tallies with this vote added; hidden tallies stay hidden. */
function counted(poll: ServedPoll, option: Choice): ServedPoll {
  const { tallies } = poll
  if (tallies.hidden) return poll
  const slot = SLOTS[option]
  return { ...poll, tallies: { ...tallies, [slot]: tallies[slot] + 1, total: tallies.total + 1 } }
}
