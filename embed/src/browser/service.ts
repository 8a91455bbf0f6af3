import { isTossupError } from '../../../sdk/src/errors.ts'
import type { BrandSummary, Campaign, PollListItem } from '../../../sdk/src/openapi.ts'
import { Voter } from '../../../sdk/src/voter.ts'
import type { Lang, Words } from '../words.ts'

/** A poll by itself or of a list. None is shown without its brand. */
export interface ServedPoll extends PollListItem {
  readonly brand: BrandSummary
  /** Of a poll by itself. */
  readonly shortId?: string
}

export interface ServedCampaign extends Campaign {
  readonly polsts: ServedPoll[]
}

export interface ServedList {
  readonly data: readonly ServedPoll[]
  readonly nextCursor: string | null
}

/** Polls come from where this script comes from. */
const origin = new URL(import.meta.url).origin

export const voter = new Voter({ url: origin })

export const addressOf = (path: string): string => origin + path

export async function readWords(lang: Lang): Promise<Words> {
  const response = await fetch(addressOf(`/embed/words/${lang}`), { credentials: 'omit' })
  if (!response.ok) throw new Error(`no words in ${lang}`)
  return response.json() as Promise<Words>
}

/** What a host is told went wrong. What is none of the service's, such as a stylesheet that does not come, is the network's. */
export const codeOf = (error: unknown): string => (isTossupError(error) ? error.code : 'NETWORK_ERROR')

/** It is not there, or what it is called by cannot be a name of anything. */
export const isMissing = (error: unknown): boolean =>
  isTossupError(error, 'NOT_FOUND') || isTossupError(error, 'VALIDATION_ERROR')
