import type { Choice } from '../poll-view.ts'
import { hasVotedOn, knownDevice, noteVote, ownDevice } from './device.ts'
import { followTallies } from './live-tallies.ts'
import { type OwnVote, Refused, type ServedPoll, type Service, type Tallies } from './service.ts'

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
  voted(vote: OwnVote): void
  failed(error: { readonly code: string }): void
}

/** One poll, and what this visitor has to do with it. Nothing here knows how it is shown. */
export class PollModel {
  readonly #service: Service
  readonly #reference: string
  readonly #listener: Listener
  #state: PollState = { poll: null, vote: null, isSending: false, trouble: null }
  #unfollow: (() => void) | null = null
  /** Whether the counts are everybody's: what a voter alone is shown does not come by the stream. */
  #isOpenToAll = false
  #isOver = false

  constructor(service: Service, reference: string, listener: Listener) {
    this.#service = service
    this.#reference = reference
    this.#listener = listener
  }

  get state(): PollState {
    return this.#state
  }

  /** With what the page brought along, or by asking for it. */
  async start(given: ServedPoll | null): Promise<void> {
    try {
      const poll = given ?? (await this.#service.readPoll(this.#reference))
      this.#isOpenToAll = !poll.tallies.hidden
      const device = hasVotedOn(poll.id) ? knownDevice() : null
      const known = device === null ? null : await this.#knownVote(poll.id, device)
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
      const cast = await this.#service.vote(poll.id, option, ownDevice())
      this.#settle(poll, cast.option, cast.tallies)
      this.#listener.voted({ option: cast.option, tallies: cast.tallies })
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
    if (error instanceof Refused && error.code === 'VOTE_ALREADY_CAST') await this.#showEarlier(poll, error)
    else if (error instanceof Refused && error.code === 'POLST_CLOSED') {
      const status = error.details.status === 'scheduled' ? 'scheduled' : 'closed'
      const fresh = await this.#service.readPoll(poll.id).catch(() => poll)
      await this.#showEarlier({ ...fresh, status }, error)
    } else this.#fail(error, 'notSent')
  }

  async #showEarlier(poll: ServedPoll, { code, details }: Refused): Promise<void> {
    const option = details.existingVote?.option ?? null
    const known = option && (await this.#knownVote(poll.id, ownDevice()).catch(() => null))
    this.#settle(poll, option, known?.tallies ?? poll.tallies)
    this.#listener.failed({ code })
  }

  #settle(poll: ServedPoll, vote: Choice | null, tallies: Tallies): void {
    this.#set({ poll: { ...poll, tallies }, vote, isSending: false, trouble: null })
    if (!vote) return
    noteVote(poll.id)
    this.#follow()
  }

  #follow(): void {
    const { poll } = this.#state
    if (this.#unfollow || this.#isOver || !poll || poll.status !== 'open' || !this.#isOpenToAll) return
    this.#unfollow = followTallies(this.#service, poll.id, ({ status, tallies }) => {
      const { poll: present } = this.#state
      if (!present || this.#state.isSending) return
      this.#set({ poll: { ...present, status, tallies } })
    })
  }

  async #knownVote(pollId: string, device: string): Promise<OwnVote | null> {
    try {
      return await this.#service.readVote(pollId, device)
    } catch (error) {
      if (error instanceof Refused && error.status === 404) return null
      throw error
    }
  }

  #fail(error: unknown, otherwise: Trouble): void {
    this.#set({ isSending: false, trouble: troubleOf(error, otherwise) })
    this.#listener.failed({ code: error instanceof Refused ? error.code : 'NETWORK' })
  }

  #set(change: Partial<PollState>): void {
    if (this.#isOver) return
    this.#state = { ...this.#state, ...change }
    this.#listener.changed(this.#state)
  }
}

function troubleOf(error: unknown, otherwise: Trouble): Trouble {
  if (!navigator.onLine) return 'offline'
  if (!(error instanceof Refused)) return otherwise
  if (error.status === 404) return 'unavailable'
  return error.status === 429 ? 'slowDown' : otherwise
}

/** As it will be when nobody else votes meanwhile; hidden counts stay hidden. */
function counted(poll: ServedPoll, option: Choice): ServedPoll {
  const { tallies } = poll
  if (tallies.hidden) return poll
  const slot = option === 'A' ? 'optionA' : 'optionB'
  return { ...poll, tallies: { ...tallies, [slot]: tallies[slot] + 1, total: tallies.total + 1 } }
}
