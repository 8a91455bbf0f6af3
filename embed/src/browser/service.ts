import { isTossupError } from '../../../sdk/src/errors.ts'
import type { BrandSummary, Campaign, PollListItem } from '../../../sdk/src/openapi.ts'
import { Voter } from '../../../sdk/src/voter.ts'
import type { Lang, Words } from '../words.ts'

/** A single poll or one of a list. Polls are shown only with their brand. */
export interface ServedPoll extends PollListItem {
  readonly brand: BrandSummary
  /** Single polls only. */
  readonly shortId?: string
}

export interface ServedCampaign extends Campaign {
  readonly polsts: ServedPoll[]
}

export interface ServedList {
  readonly data: readonly ServedPoll[]
  readonly nextCursor: string | null
}

/** The service is the origin of this script. */
const origin = new URL(import.meta.url).origin

export const voter = new Voter({ url: origin })

export const addressOf = (path: string): string => origin + path

export async function readWords(lang: Lang): Promise<Words> {
  const response = await fetch(addressOf(`/embed/words/${lang}`), { credentials: 'omit' })
  if (!response.ok) throw new Error(`no words in ${lang}`)
  return response.json() as Promise<Words>
}

/** The code of an error event. Failures outside the service, such as a stylesheet that does not load, are `NETWORK_ERROR`. */
export const codeOf = (error: unknown): string => (isTossupError(error) ? error.code : 'NETWORK_ERROR')

/** The subject does not exist, or its name is malformed. */
export const isMissing = (error: unknown): boolean =>
  isTossupError(error, 'NOT_FOUND') || isTossupError(error, 'VALIDATION_ERROR')
