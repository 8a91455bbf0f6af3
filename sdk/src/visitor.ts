import { provingFetch } from './challenge/prove.ts'
import type {
  Brand,
  Campaign,
  CampaignProgress,
  CampaignTallies,
  Category,
  Endpoints,
  PollListItem,
  PollLog,
  PollTallies,
  Theme,
} from './openapi.ts'
import { type VisitorOptions, type VoteOptions, Voter } from './voter.ts'
import { type WatchOptions, watchTallies } from './watch-tallies.ts'
import { bodyOf, type CallOptions, type DataOf, type Endpoint, type Given, type Outgoing } from './wire/http.ts'
import { List, type Page, type ReadPage } from './wire/list.ts'
import { getProgress } from './wire/polls-together.ts'

export type { CastOptions, Option, VisitorOptions, VoteOptions, VoteOrigin } from './voter.ts'

/** The query of an operation. */
export type QueryOf<E extends Endpoint> = Endpoints[E] extends { query: infer Query } ? Query : never

/**
 * A visitor who reads polls and votes: everything that needs no key.
 *
 * @example
 * const visitor = new Visitor({ url: 'https://polls.example.com' })
 * const poll = await visitor.getPoll('tea-or-coffee')
 * const { tallies } = await visitor.castVote(poll.shortId, 'A')
 */
export class Visitor extends Voter {
  /** Whether it votes as the page's device: without its own storage, id or tokens. */
  readonly isOfPage: boolean

  constructor(options: VisitorOptions) {
    super({ ...options, fetch: provingFetch(options.fetch) })
    if (!/^https?:/i.test(this.url)) throw new Error(`url: not http: ${options.url}`)
    this.isOfPage = options.storage === undefined && options.deviceId === undefined
  }

  /** Counts that somebody saw the poll, without a device: send it once, when the poll is in view. Elements do so themselves. */
  countView(slug: string, query: QueryOf<'POST /polls/{slug}/views'> = {}, options?: CallOptions): Promise<void> {
    return this.http.call('POST /polls/{slug}/views', { params: { slug }, query }, options)
  }

  /** The tallies of a poll. */
  getTallies(slug: string, options?: CallOptions): Promise<PollTallies> {
    return this.http.call('GET /polls/{slug}/tallies', { params: { slug } }, options)
  }

  /** The log by which anybody can check the count of a poll. */
  getPollLog(slug: string, options?: CallOptions): Promise<PollLog> {
    return this.http.call('GET /polls/{slug}/log', { params: { slug } }, options)
  }

  /** The tallies of a poll, or of several over one connection, now and at each change, until the signal is aborted. */
  watchTallies(slug: string | readonly string[], options?: WatchOptions): AsyncGenerator<PollTallies, void, undefined> {
    return watchTallies(this.http, slug, options)
  }

  /** A published campaign with its polls, in order. */
  getCampaign(campaignId: string, options?: CallOptions): Promise<Campaign> {
    return this.http.call('GET /campaigns/{campaignId}', { params: { campaignId } }, options)
  }

  /** This device's progress in a campaign, or null before its first vote. */
  getProgress(campaignId: string, options?: VoteOptions): Promise<CampaignProgress | null> {
    return getProgress(this, campaignId, options)
  }

  /** The tallies of a campaign's polls. */
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
   * Makes the service forget this visitor. The tallies stay, and so does the device id, under which repeats of earlier
   * votes are still refused.
   */
  async forgetGuest(options: VoteOptions = {}): Promise<void> {
    const caller = await this.knownCaller(options)
    if (caller) await this.http.call('DELETE /guests/me', { caller }, options)
  }

  protected list<E extends Endpoint, More = unknown>(
    endpoint: E,
    outgoing: Outgoing & Given<E>,
    options?: CallOptions,
  ) {
    type Item = DataOf<E> extends (infer One)[] ? One : never
    const read: ReadPage<Item, More> = async (cursor, pageOptions) => {
      const query = { ...outgoing.query, cursor }
      return bodyOf(await this.http.send(endpoint, { ...outgoing, query }, pageOptions)) as Page<Item> & More
    }
    return new List(read, outgoing.query?.['cursor'] as string | undefined, options)
  }
}
