import { COUNTED_WIDTHS } from '../../db/vote-store.ts'
import { archiveFault, placeOf } from '../row-checks/check-row.ts'
import type { Row } from './brand-rows.ts'

interface Sum {
  option_a: number
  option_b: number
  /** The highest position. With unique positions from 1 on, it equals the number of votes where there is no gap. */
  last: number
}

/** Votes by poll, to compare with the tallies. The rows themselves may not fit into memory. */
export class VoteSums {
  readonly #votes = new Map<unknown, Sum>()
  readonly #counts = new Map<string, Sum>()
  readonly #campaigns = new Map<unknown, string>()
  readonly #polls = new Map<unknown, string>()

  add(table: string, rows: readonly Row[], placeOfRow: (row: Row) => string): void {
    for (const row of rows) {
      const { poll_key, campaign_key } = row
      if (poll_key !== undefined && !this.#polls.has(poll_key)) this.#polls.set(poll_key, placeOfRow(row))
      if (campaign_key !== undefined && !this.#campaigns.has(campaign_key)) {
        this.#campaigns.set(campaign_key, placeOfRow(row))
      }
      if (table === 'votes') addVote(sumIn(this.#votes, poll_key), row)
      if (table === 'vote_counts') addCount(sumIn(this.#counts, `${poll_key} ${row['width']}`), row)
    }
  }

  /** Each row refers to a poll or campaign of the archive. */
  assertKnown(polls: ReadonlyMap<unknown, Row>, campaigns: ReadonlyMap<unknown, Row>): void {
    const references = [
      ['poll_key', this.#polls, polls],
      ['campaign_key', this.#campaigns, campaigns],
    ] as const
    for (const [column, named, known] of references) {
      for (const [key, place] of named) {
        if (!known.has(key)) throw archiveFault(placeOf(place, column), 'Must be one of the archive.')
      }
    }
  }

  /** `tally` has exactly the votes of the archive. */
  assertTally(tally: Row, place: string): void {
    const { poll_key } = tally
    const votes = this.#votes.get(poll_key) ?? NONE
    const sums = [['votes', votes] as const].concat(
      COUNTED_WIDTHS.map((width) => ['vote_counts', this.#counts.get(`${poll_key} ${width}`) ?? NONE] as never),
    )
    for (const [table, sum] of sums) {
      for (const option of ['option_a', 'option_b'] as const) {
        if (tally[option] === sum[option]) continue
        throw archiveFault(placeOf(place, option), `Must be ${sum[option]}, as in ${table}, and is ${tally[option]}.`)
      }
    }
    if (votes.last !== votes.option_a + votes.option_b) {
      throw archiveFault(
        placeOf(place, 'poll_key'),
        'The votes of this poll must have the positions from 1 on without a gap.',
      )
    }
  }
}

const NONE: Sum = { option_a: 0, option_b: 0, last: 0 }

function sumIn<Key>(sums: Map<Key, Sum>, key: Key): Sum {
  const sum = sums.get(key) ?? { ...NONE }
  sums.set(key, sum)
  return sum
}

function addVote(sum: Sum, { option, position }: Row): void {
  sum[option === 'A' ? 'option_a' : 'option_b']++
  sum.last = Math.max(sum.last, Number(position))
}

function addCount(sum: Sum, { option_a, option_b }: Row): void {
  sum.option_a += Number(option_a)
  sum.option_b += Number(option_b)
}
