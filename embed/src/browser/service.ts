import { isTossupError } from '../../../sdk/src/errors.ts'
import type { BrandSummary, Campaign, PollListItem } from '../../../sdk/src/openapi.ts'
import { Voter } from '../../../sdk/src/voter.ts'
import type { Lang, Words } from '../words.ts'
import { addressOf, origin } from './address-of.ts'
import { startOnce } from './parts.ts'
import { pageStore } from './votes/page-store.ts'

/** A single poll or one of a list. Polls are shown only with their brand. */
export interface ServedPoll extends PollListItem {
  readonly brand: BrandSummary
  /** Single polls only, as are the others. */
  readonly shortId?: string
  readonly opensAt?: string | null
  readonly closesAt?: string | null
  readonly resultsBeforeVote?: boolean
  readonly admission?: 'open' | 'code'
  readonly resultsVisibility?: 'always' | 'after_vote' | 'after_close' | 'never'
}

export interface ServedCampaign extends Campaign {
  readonly polsts: ServedPoll[]
}

export interface ServedList {
  readonly data: readonly ServedPoll[]
  readonly nextCursor: string | null
}

/** Without a prototype: a browser reads options that a script of the page added to `Object.prototype`. */
const send = (url: string, init: RequestInit): Promise<Response> =>
  fetch(url, { __proto__: null, ...init } as RequestInit)

/** Loads the challenge solver only when a vote needs it. If that fails, the vote is kept and sent again later. */
const fetchProven = async (url: string, init: RequestInit): Promise<Response> => {
  // A vote that is on its way when the page is left still arrives.
  const response = await send(url, { ...init, keepalive: init.method === 'POST' })
  if (response.status !== 403) return response
  return import(addressOf('/embed/solve.js')).then(({ again }) => again(response, url, init)).catch(() => response)
}

export const voter = new Voter({ url: origin, fetch: fetchProven as typeof fetch, storage: pageStore })

export async function fetchFile(url: string): Promise<Response> {
  const response = await send(url, { credentials: 'omit' })
  if (!response.ok) throw new Error(url)
  return response
}

/** Asked once for all polls of a page: they begin in their order, not in that of twenty answers. */
export function readWords(lang: Lang): Promise<Words> {
  const url = addressOf(`/embed/words/${lang}`)
  return startOnce(url, async () => (await fetchFile(url)).json())
}

/** The code of an error event. Failures outside the service, such as a stylesheet that does not load, are `NETWORK_ERROR`. */
export const codeOf = (error: unknown): string => (isTossupError(error) ? error.code : 'NETWORK_ERROR')

/** The subject does not exist, or its name is malformed. */
export const isMissing = (error: unknown): boolean =>
  isTossupError(error, 'NOT_FOUND') || isTossupError(error, 'VALIDATION_ERROR')
