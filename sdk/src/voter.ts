import { Device } from './device.ts'
import { isTossupError } from './errors.ts'
import type { Campaign, CampaignProgress, Poll, PollListItem, Vote } from './openapi.ts'
import { browserStore, type KeyValueStore } from './storage.ts'
import { bodyOf, type Caller, type CallOptions, Http, type ServiceOptions } from './wire/http.ts'
import type { Page } from './wire/list.ts'

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
}

/** The requests of an embedded poll. Separate from `Visitor` because `/embed.js` includes it. */
export class Voter {
  /** The voting device. */
  readonly device: Device
  protected readonly http: Http

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

  /** A published campaign with its polls, in order. */
  getCampaign(campaignId: string, options?: CallOptions): Promise<Campaign> {
    return this.http.call('GET /campaigns/{campaignId}', { params: { campaignId } }, options)
  }

  /** One page of a brand's feed. */
  async readFeed(brandSlug: string, cursor?: string, options?: CallOptions): Promise<Page<PollListItem>> {
    const outgoing = { params: { brandSlug }, query: { cursor } }
    return bodyOf(await this.http.send('GET /brands/{brandSlug}/polls', outgoing, options)) as Page<PollListItem>
  }

  /**
   * Casts a vote. A request whose answer was lost is repeated, and where the service then reports this very vote, it
   * is returned like a new one. An earlier vote is `VOTE_ALREADY_CAST`. A challenge is solved and the vote sent again.
   */
  async castVote(slug: string, option: Option, options: VoteOptions = {}): Promise<Vote> {
    const caller = await this.voter(options)
    let isDoubtful = false
    const onRetry = (failure: unknown) => {
      isDoubtful ||= !isTossupError(failure, 'RATE_LIMITED')
    }
    try {
      const outgoing = { params: { slug }, body: { __proto__: null, option }, caller, onRetry }
      return await this.http.call('POST /polls/{slug}/votes', outgoing, options)
    } catch (error) {
      const isOurs = isTossupError(error, 'VOTE_ALREADY_CAST') && error.details.existingVote.option === option
      if (!isDoubtful || !isOurs) throw error
      return this.http.call('GET /polls/{slug}/votes/me', { params: { slug }, caller }, options)
    }
  }

  /** This device's vote, or null. Sends no request before the first vote of the device. */
  async getOwnVote(slug: string, options: VoteOptions = {}): Promise<Vote | null> {
    const caller = await this.knownCaller(options)
    if (!caller) return null
    try {
      return await this.http.call('GET /polls/{slug}/votes/me', { params: { slug }, caller }, options)
    } catch (error) {
      if (isTossupError(error, 'NOT_FOUND')) return null
      throw error
    }
  }

  /** This device's progress in a campaign, or null before its first vote. */
  async getProgress(campaignId: string, options: VoteOptions = {}): Promise<CampaignProgress | null> {
    const caller = await this.knownCaller(options)
    return caller && this.http.call('GET /campaigns/{campaignId}/progress', { params: { campaignId }, caller }, options)
  }

  /** The voting device: makes the device id where there is none. */
  protected async voter({ deviceId }: VoteOptions): Promise<Caller> {
    return asDevice(deviceId ?? (await this.device.id()))
  }

  /** The device that may have voted, or null. */
  protected async knownCaller({ deviceId }: VoteOptions): Promise<Caller | null> {
    const id = deviceId ?? (await this.device.known())
    return id === null ? null : asDevice(id)
  }
}

const asDevice = (id: string): Caller => ({ headers: async () => ({ 'X-Device-Id': id }) })
