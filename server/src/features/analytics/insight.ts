import { sql } from 'kysely'
import { z } from 'zod'
import { differenceInterval, type Sides } from '../../../../embed/src/insight/intervals.ts'
import { insightOf } from '../../../../embed/src/insight/verdict.ts'
import { KeptResults } from '../../base/cache.ts'
import { iso } from '../../base/clock.ts'
import { count, timestamp } from '../../base/fields.ts'
import type { Db } from '../../db/store.ts'
import { differenceFields, insightFields } from '../../events/resources/insight.ts'
import type { PollRow } from '../polls/queries.ts'
import { hoursOf, source, sourcesOf } from './sources/sources.ts'

const sides = (optionA: number, optionB: number) =>
  z.object({
    optionA: count.meta({ description: 'Votes for option A.', examples: [optionA] }),
    optionB: count.meta({ description: 'Votes for option B.', examples: [optionB] }),
  })

const order = z.object({
  AB: sides(30, 18).describe('The votes of those who saw option A first.'),
  BA: sides(17, 19).describe('The votes of those who saw option B first.'),
  ...differenceFields(
    'The share of A when it was shown first minus that when it was second; null if either has no votes.',
  ),
})

export const insight = z
  .object({
    ...insightFields,
    order: order.nullable().describe('Votes by the order of the options. Null if no vote was cast in a random order.'),
    sources: z.array(source).describe('Where the votes came from, as `/sources` has it.'),
    countedAt: timestamp.meta({
      description:
        'When `order` and `sources` were counted: at most 60 seconds ago. The other numbers are those of now.',
      examples: ['2026-01-31T12:00:00.000Z'],
    }),
  })
  .meta({ id: 'Insight', description: 'The counts of a poll with what they mean.' })

export type Insight = z.infer<typeof insight>

type Background = Pick<Insight, 'order' | 'sources'>

/** Order and sources are added up from the counts of hours, so they are kept for a minute. */
export class Insights {
  readonly #kept = new KeptResults<Background>()

  async of(db: Db, poll: PollRow, now: number): Promise<Insight> {
    const { value, at } = await this.#kept.of(`${poll.key}`, now, async () => ({
      order: await orderOf(db, poll.key),
      sources: await sourcesOf(db, [[poll.key]], { brandKey: poll.brand_key, span: hoursOf({}, now) }),
    }))
    return { ...insightOf({ optionA: poll.option_a, optionB: poll.option_b }), ...value, countedAt: iso(at) }
  }
}

async function orderOf(db: Db, pollKey: number): Promise<Insight['order']> {
  const sum = (column: 'option_a' | 'option_b') => sql<number>`cast(sum(${sql.ref(column)}) as bigint)`
  const rows = await db
    .selectFrom('attributed_counts')
    .select(['shown', sum('option_a').as('optionA'), sum('option_b').as('optionB')])
    .where('poll_key', '=', pollKey)
    .where('shown', '!=', '')
    .groupBy('shown')
    .execute()
  if (rows.length === 0) return null
  const shownAs = (order: string): Sides => {
    const { optionA, optionB } = rows.find(({ shown }) => shown === order) ?? { optionA: 0, optionB: 0 }
    return { optionA, optionB }
  }
  const [AB, BA] = [shownAs('AB'), shownAs('BA')]
  return { AB, BA, ...(differenceInterval(AB, BA) ?? { difference: null, low: null, high: null }) }
}
