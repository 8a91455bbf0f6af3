import { type ExistingVote, isTossupError } from '../../../sdk/src/errors.ts'
import type { Tallies, Vote } from '../../../sdk/src/openapi.ts'
import type { Choice } from '../poll-view.ts'
import { followTallies } from './live-tallies.ts'
import { codeOf, type ServedPoll, voter } from './service.ts'
import { hasVotedOn, noteVote } from './voted-polls.ts'

export type Trouble = 'notSent' | 'offline' | 'slowDown' | 'unavailable'

export interface PollState {
  /** Null until it is known. */
  readonly poll: ServedPoll | null
  readonly vote: Choice | null
  /** Told, and not answered yet: it is shown as cast, and taken back when it is not. */
  readonly isSending: boolean
  readonly trouble: Trouble | null
}

interface Listener {
  changed(state: PollState): void
  voted(vote: Vote): void
  failed(error: { readonly code: string }): void
}

/** One poll, and what this visitor has to do with it. Nothing here knows how it is shown. */
export class PollModel {
  readonly #reference: string
  readonly #listener: Listener
  #state: PollState = { poll: null, vote: null, isSending: false, trouble: null }
  #unfollow: (() => void) | null = null
  /** Whether the counts are everybody's: what a voter alone is shown does not come by the stream. */
  #isOpenToAll = false
  #isOver = false

  constructor(reference: string, listener: Listener) {
    this.#reference = reference
    this.#listener = listener
  }

  get state(): PollState {
    return this.#state
  }

  /** With what the page brought along, or by asking for it. */
  async start(given: ServedPoll | null): Promise<void> {
    try {
      const poll = given ?? ((await voter.getPoll(this.#reference)) as ServedPoll)
      this.#isOpenToAll = !poll.tallies.hidden
      const known = (await hasVotedOn(poll.id)) ? await voter.getOwnVote(poll.id) : null
      this.#set({
        poll: known ? { ...poll, tallies: known.tallies } : poll,
        vote: known?.option ?? null,
        trouble: null,
      })
      if (known) this.#follow()
    } catch (error) {
      this.#fail(error, 'unavailable')
    }
  }

  async vote(option: Choice): Promise<void> {
    const { poll, vote, isSending } = this.#state
    if (!poll || vote !== null || isSending || poll.status !== 'open') return
    this.#set({ poll: counted(poll, option), vote: option, isSending: true, trouble: null })
    try {
      const cast = await voter.castVote(poll.id, option)
      this.#settle(poll, cast.option, cast.tallies)
      this.#listener.voted(cast)
    } catch (error) {
      await this.#takeBack(poll, error)
    }
  }

  stop(): void {
    this.#isOver = true
    this.#unfollow?.()
    this.#unfollow = null
  }

  /** The service knows better: what it tells of an earlier vote, or of the end of the poll, is shown. */
  async #takeBack(poll: ServedPoll, error: unknown): Promise<void> {
    this.#set({ poll, vote: null, isSending: false })
    if (isTossupError(error, 'VOTE_ALREADY_CAST')) await this.#showEarlier(poll, error.code, error.details.existingVote)
    else if (isTossupError(error, 'POLST_CLOSED')) {
      const { status, existingVote } = error.details
      const fresh = await voter.getPoll(poll.id).catch(() => poll)
      await this.#showEarlier({ ...poll, ...fresh, brand: poll.brand, status }, error.code, existingVote)
    } else this.#fail(error, 'notSent')
  }

  async #showEarlier(poll: ServedPoll, code: string, earlier: ExistingVote | undefined): Promise<void> {
    const known = earlier && (await voter.getOwnVote(poll.id).catch(() => null))
    this.#settle(poll, earlier?.option ?? null, known?.tallies ?? poll.tallies)
    this.#listener.failed({ code })
  }

  #settle(poll: ServedPoll, vote: Choice | null, tallies: Tallies): void {
    this.#set({ poll: { ...poll, tallies }, vote, isSending: false, trouble: null })
    if (!vote) return
    void noteVote(poll.id)
    this.#follow()
  }

  #follow(): void {
    const { poll } = this.#state
    if (this.#unfollow || this.#isOver || !poll || poll.status !== 'open' || !this.#isOpenToAll) return
    this.#unfollow = followTallies(poll.id, ({ status, tallies }) => {
      const { poll: present } = this.#state
      if (!present || this.#state.isSending) return
      this.#set({ poll: { ...present, status, tallies } })
    })
  }

  #fail(error: unknown, otherwise: Trouble): void {
    this.#set({ isSending: false, trouble: troubleOf(error, otherwise) })
    this.#listener.failed({ code: codeOf(error) })
  }

  #set(change: Partial<PollState>): void {
    if (this.#isOver) return
    this.#state = { ...this.#state, ...change }
    this.#listener.changed(this.#state)
  }
}

function troubleOf(error: unknown, otherwise: Trouble): Trouble {
  if (!navigator.onLine) return 'offline'
  if (isTossupError(error, 'NOT_FOUND')) return 'unavailable'
  return isTossupError(error, 'RATE_LIMITED') ? 'slowDown' : otherwise
}

/** As it will be when nobody else votes meanwhile; hidden counts stay hidden. */
function counted(poll: ServedPoll, option: Choice): ServedPoll {
  const { tallies } = poll
  if (tallies.hidden) return poll
  const slot = option === 'A' ? 'optionA' : 'optionB'
  return { ...poll, tallies: { ...tallies, [slot]: tallies[slot] + 1, total: tallies.total + 1 } }
}
