import type { Vote } from '../../../../sdk/src/openapi.ts'

/** A vote as other places of the same poll learn it. */
export type SeenVote = Pick<Vote, 'option' | 'tallies'>

/** A place that shows a poll. */
export interface Place {
  isOf(poll: string): boolean
  see(vote: SeenVote): void
}

/** A poll may be shown several times on a page. */
export const places = new Set<Place>()

/** A vote that was counted in one place: the others follow. */
export function tellHere(poll: string, vote: SeenVote, by?: Place): void {
  for (const place of places) if (place !== by && place.isOf(poll)) place.see(vote)
}
