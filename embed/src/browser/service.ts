import type { Choice, PollView, ThemeView } from '../poll-view.ts'
import type { Lang, Words } from '../words.ts'

export type Tallies = PollView['tallies']

export interface ServedTheme extends ThemeView {
  readonly customCssUrl: string | null
}

export interface ServedPoll extends PollView {
  readonly slug: string
  readonly shortId: string
  readonly brand: { readonly slug: string; readonly name: string; readonly theme: ServedTheme }
}

export interface OwnVote {
  readonly option: Choice
  readonly tallies: Tallies
}

export interface ServedList {
  readonly data: readonly ServedPoll[]
  readonly nextCursor: string | null
}

export interface ServedCampaign {
  readonly campaignId: string
  readonly title: string
  readonly polsts: readonly ServedPoll[]
  readonly brand: ServedPoll['brand']
}

export interface Progress {
  readonly completedSteps: number
  readonly totalSteps: number
  readonly currentPoll: { readonly id: string } | null
  readonly completed: boolean
}

interface Refusal {
  readonly code: string
  readonly details: { readonly existingVote?: { readonly option: Choice }; readonly status?: PollView['status'] }
}

/** What the service answered in place of what was asked for. */
export class Refused extends Error {
  readonly status: number
  readonly code: string
  readonly details: Refusal['details']

  constructor(status: number, { code, details }: Refusal) {
    super(code)
    this.status = status
    this.code = code
    this.details = details
  }
}

const PATIENCE_MS = 10_000

/** The interface of one service, as far as a poll in a page needs it. */
export class Service {
  readonly #origin: string
  readonly #api: string

  constructor(origin: string) {
    this.#origin = origin
    this.#api = `${origin}/api/rest/v1`
  }

  readPoll = (reference: string) => this.#ask<ServedPoll>(`/polls/${encodeURIComponent(reference)}`)

  readCampaign = (id: string) => this.#ask<ServedCampaign>(`/campaigns/${encodeURIComponent(id)}`)

  readProgress = (id: string, device: string) =>
    this.#ask<Progress>(`/campaigns/${id}/progress`, { headers: { 'X-Device-Id': device } })

  readFeed = (brand: string, cursor: string | null) =>
    this.#read<ServedList>(
      `/brands/${encodeURIComponent(brand)}/polls${cursor ? `?cursor=${encodeURIComponent(cursor)}` : ''}`,
    )

  readVote = (poll: string, device: string) =>
    this.#ask<OwnVote>(`/polls/${poll}/votes/me`, { headers: { 'X-Device-Id': device } })

  vote = (poll: string, option: Choice, device: string) =>
    this.#ask<OwnVote>(`/polls/${poll}/votes`, {
      method: 'POST',
      headers: { 'X-Device-Id': device, 'Content-Type': 'application/json' },
      body: JSON.stringify({ option }),
    })

  async readWords(lang: Lang): Promise<Words> {
    const response = await fetch(`${this.#origin}/embed/words/${lang}`, { credentials: 'omit' })
    if (!response.ok) throw new Error(`no words in ${lang}`)
    return response.json() as Promise<Words>
  }

  streamUrl = (poll: string): string => `${this.#api}/polls/${poll}/tallies/stream`

  async #ask<Data>(path: string, init: RequestInit = {}): Promise<Data> {
    return (await this.#read<{ data: Data }>(path, init)).data
  }

  async #read<Body>(path: string, init: RequestInit = {}): Promise<Body> {
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const response = await fetch(this.#api + path, { ...init, signal, credentials: 'omit' })
    const body = (await response.json()) as Body & { error: Refusal }
    if (!response.ok) throw new Refused(response.status, body.error)
    return body
  }
}
