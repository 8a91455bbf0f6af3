import { Device } from './device.ts'
import { isTossupError } from './errors.ts'
import type { Poll, Vote, VoteReceipt } from './openapi.ts'
import { browserStore, type KeyValueStore } from './storage.ts'
import { type Caller, type CallOptions, Http, type ServiceOptions } from './wire/http.ts'

export type Option = 'A' | 'B'

export interface VisitorOptions extends ServiceOptions {
  /** Where the device id is kept: by default `localStorage` if available, else memory. */
  readonly storage?: KeyValueStore
  /** Your own device id, a UUID, instead of one made at the first vote. */
  readonly deviceId?: string
}

export interface VoteOptions extends CallOptions {
  /** The device that votes, instead of this one. */
  readonly deviceId?: string | undefined
  /** The code of the person who votes, on a poll with `admission: 'code'`. Case, spaces and hyphens do not matter. */
  readonly code?: string | undefined
}

/** Details that a vote carries beside its option. */
export interface VoteOrigin {
  /** The place that led here, such as `newsletter`: a name that the brand has declared. Any other counts as `other`. */
  readonly source?: string | undefined
  /** The id of the campaign in which the poll is shown. */
  readonly campaign?: string | undefined
  /** The order in which a poll with `optionOrder: 'random'` has shown its options. */
  readonly shown?: 'AB' | 'BA' | undefined
}

export interface CastOptions extends VoteOptions, VoteOrigin {}

/** The requests of an embedded poll. Separate from `Visitor` because `/embed.js` includes it. */
export class Voter {
  /** The voting device. */
  readonly device: Device
  /** Sends requests; for our own parts. */
  readonly http: Http

  constructor({ storage = browserStore(), deviceId, ...service }: VisitorOptions) {
    this.http = new Http(service)
    this.device = new Device(storage, deviceId)
  }

  /** The origin of the service. */
  get url(): string {
    return this.http.origin
  }

  /** A poll, by its slug, its shortId or its id. */
  getPoll(slug: string, options?: CallOptions): Promise<Poll> {
    return this.http.call('GET /polls/{slug}', { params: { slug } }, options)
  }

  /**
   * Casts a vote. A request whose answer was lost is repeated, and where the service then reports this very vote, it
   * is returned like a new one. An earlier vote is `VOTE_ALREADY_CAST`. A challenge is solved and the vote sent again.
   */
  async castVote(slug: string, option: Option, options: CastOptions = {}): Promise<Vote> {
    const { source, campaign, shown } = options
    const caller = await this.voter(options)
    let isDoubtful = false
    const onRetry = (failure: unknown) => {
      isDoubtful ||= !isTossupError(failure, 'RATE_LIMITED')
    }
    try {
      const outgoing = { params: { slug }, body: { __proto__: null, option, source, campaign, shown }, caller, onRetry }
      return await this.http.call('POST /polls/{slug}/votes', outgoing, options)
    } catch (error) {
      const isOurs = isTossupError(error, 'VOTE_ALREADY_CAST') && error.details.existingVote?.option === option
      if (!isDoubtful || !isOurs) throw error
      return this.http.call('GET /polls/{slug}/votes/me', { params: { slug }, caller }, options)
    }
  }

  /** This device's vote, or null. Sends no request before the first vote of the device. */
  getOwnVote(slug: string, options: VoteOptions = {}): Promise<Vote | null> {
    return this.#ofVoter(options, (caller) =>
      this.http.call('GET /polls/{slug}/votes/me', { params: { slug }, caller }, options),
    )
  }

  /** Where this device's vote is in the log of the poll, or null. Sends no request before the first vote of the device. */
  getOwnReceipt(slug: string, options: VoteOptions = {}): Promise<VoteReceipt | null> {
    return this.#ofVoter(options, (caller) =>
      this.http.call('GET /polls/{slug}/votes/me/receipt', { params: { slug }, caller }, options),
    )
  }

  async #ofVoter<Data>(options: VoteOptions, read: (caller: Caller) => Promise<Data>): Promise<Data | null> {
    const caller = await this.knownCaller(options)
    if (!caller) return null
    try {
      return await read(caller)
    } catch (error) {
      if (isTossupError(error, 'NOT_FOUND')) return null
      throw error
    }
  }

  /** The voting device: makes the device id where there is none. */
  protected async voter({ deviceId }: VoteOptions): Promise<Caller> {
    return asDevice(deviceId ?? (await this.device.id()))
  }

  /** The device that may have voted, or null. */
  async knownCaller({ deviceId }: VoteOptions): Promise<Caller | null> {
    const id = deviceId ?? (await this.device.known())
    return id === null ? null : asDevice(id)
  }
}

const asDevice = (id: string): Caller => ({ headers: async () => ({ 'X-Device-Id': id }) })
