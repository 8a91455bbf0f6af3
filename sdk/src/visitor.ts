import { Device } from './device.ts'
import { isTossupError } from './errors.ts'
import {
  bodyOf,
  type Caller,
  type CallOptions,
  type DataOf,
  type Endpoint,
  type Given,
  Http,
  type Outgoing,
  type ServiceOptions,
} from './http.ts'
import { List, type Page, type ReadPage } from './list.ts'
import type {
  Brand,
  Campaign,
  CampaignProgress,
  CampaignTallies,
  Category,
  Endpoints,
  Poll,
  PollListItem,
  PollTallies,
  Theme,
  Vote,
} from './openapi.ts'
import { browserStore, type KeyValueStore } from './storage.ts'
import { type WatchOptions, watchTallies } from './watch-tallies.ts'

export type Option = 'A' | 'B'

export interface VisitorOptions extends ServiceOptions {
  /** Where the device id is kept: `localStorage` where there is one, else memory, unless said otherwise. */
  readonly storage?: KeyValueStore
  /** An id of your own, a UUID, in place of one that is made at the first vote. */
  readonly deviceId?: string
}

export interface VoteOptions extends CallOptions {
  /** The device that votes, in place of this one. */
  readonly deviceId?: string | undefined
}

/** What an operation takes in its query. */
export type QueryOf<E extends Endpoint> = Endpoints[E] extends { query: infer Query } ? Query : never

/**
 * Somebody who looks at polls and votes: all that needs no key.
 *
 * @example
 * const visitor = new Visitor({ url: 'https://polls.example.com' })
 * const poll = await visitor.getPoll('tea-or-coffee')
 * const { tallies } = await visitor.castVote(poll.shortId, 'A')
 */
export class Visitor {
  /** Who votes here. */
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

  /** How a poll stands. */
  getTallies(slug: string, options?: CallOptions): Promise<PollTallies> {
    return this.http.call('GET /polls/{slug}/tallies', { params: { slug } }, options)
  }

  /** How a poll stands, now and whenever that changes, until the signal is aborted. */
  watchTallies(slug: string, options?: WatchOptions): AsyncGenerator<PollTallies, void, undefined> {
    return watchTallies(this.http, slug, options)
  }

  /** A published campaign with its polls, in order. */
  getCampaign(campaignId: string, options?: CallOptions): Promise<Campaign> {
    return this.http.call('GET /campaigns/{campaignId}', { params: { campaignId } }, options)
  }

  /** How the polls of a campaign stand. */
  getCampaignTallies(campaignId: string, options?: CallOptions): Promise<CampaignTallies> {
    return this.http.call('GET /campaigns/{campaignId}/tallies', { params: { campaignId } }, options)
  }

  getBrand(brandSlug: string, options?: CallOptions): Promise<Brand> {
    return this.http.call('GET /brands/{brandSlug}', { params: { brandSlug } }, options)
  }

  getTheme(brandSlug: string, options?: CallOptions): Promise<Theme> {
    return this.http.call('GET /brands/{brandSlug}/theme', { params: { brandSlug } }, options)
  }

  /** A brand's feed. */
  listPublicPolls(
    brandSlug: string,
    query: QueryOf<'GET /brands/{brandSlug}/polls'> = {},
    options?: CallOptions,
  ): List<PollListItem> {
    return this.list('GET /brands/{brandSlug}/polls', { params: { brandSlug }, query }, options)
  }

  /** A brand's published campaigns. */
  listPublicCampaigns(
    brandSlug: string,
    query: QueryOf<'GET /brands/{brandSlug}/campaigns'> = {},
    options?: CallOptions,
  ): List<Campaign> {
    return this.list('GET /brands/{brandSlug}/campaigns', { params: { brandSlug }, query }, options)
  }

  /** The operator's categories. */
  listCategories(options?: CallOptions): Promise<Category[]> {
    return this.http.call('GET /categories', {}, options)
  }

  /**
   * Votes. An attempt whose answer was lost is repeated, and when the service then says that this vote is already there, it
   * is returned like any other. A vote that was cast before is `VOTE_ALREADY_CAST`.
   */
  async castVote(slug: string, option: Option, options: VoteOptions = {}): Promise<Vote> {
    const caller = await this.voter(options)
    let isDoubtful = false
    const onRetry = (failure: unknown) => {
      isDoubtful ||= !isTossupError(failure, 'RATE_LIMITED')
    }
    try {
      const outgoing = { params: { slug }, body: { option }, caller, onRetry }
      return await this.http.call('POST /polls/{slug}/votes', outgoing, options)
    } catch (error) {
      const isOurs = isTossupError(error, 'VOTE_ALREADY_CAST') && error.details.existingVote.option === option
      if (!isDoubtful || !isOurs) throw error
      return this.http.call('GET /polls/{slug}/votes/me', { params: { slug }, caller }, options)
    }
  }

  /** What was voted here, or null. Nobody is asked where no vote has ever been cast. */
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

  /** How far somebody is in a campaign, or null where no vote has ever been cast. */
  async getProgress(campaignId: string, options: VoteOptions = {}): Promise<CampaignProgress | null> {
    const caller = await this.knownCaller(options)
    return caller && this.http.call('GET /campaigns/{campaignId}/progress', { params: { campaignId }, caller }, options)
  }

  /**
   * Has the service forget who voted here. The counts stay, and so does the id of this device, under which votes that were
   * cast are still refused a second time.
   */
  async forgetGuest(options: VoteOptions = {}): Promise<void> {
    const caller = await this.knownCaller(options)
    if (caller) await this.http.call('DELETE /guests/me', { caller }, options)
  }

  /** Whoever votes: a device that had no id has one from now on. */
  protected async voter({ deviceId }: VoteOptions): Promise<Caller> {
    return asDevice(deviceId ?? (await this.device.id()))
  }

  /** Whoever may have voted before. */
  protected async knownCaller({ deviceId }: VoteOptions): Promise<Caller | null> {
    const id = deviceId ?? (await this.device.known())
    return id === null ? null : asDevice(id)
  }

  protected list<E extends Endpoint>(endpoint: E, outgoing: Outgoing & Given<E>, options?: CallOptions) {
    type Item = DataOf<E> extends (infer One)[] ? One : never
    const read: ReadPage<Item> = async (cursor, pageOptions) => {
      const query = { ...outgoing.query, cursor }
      return bodyOf(await this.http.send(endpoint, { ...outgoing, query }, pageOptions)) as Page<Item>
    }
    return new List(read, outgoing.query?.['cursor'] as string | undefined, options)
  }
}

const asDevice = (id: string): Caller => ({ headers: async () => ({ 'X-Device-Id': id }) })
