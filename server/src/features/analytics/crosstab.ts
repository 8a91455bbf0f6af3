import { z } from 'zod'
import { differenceInterval, type Sides, shareInterval } from '../../../../embed/src/insight/intervals.ts'
import { KeptResults } from '../../base/cache.ts'
import { iso } from '../../base/clock.ts'
import { count } from '../../base/fields.ts'
import { Semaphore } from '../../base/work/semaphore.ts'
import type { Db } from '../../db/store.ts'
import type { OptionName } from '../../db/tables.ts'
import { differenceFields, shareFields } from '../../events/resources/insight.ts'
import { pollParams } from '../../events/resources/poll.ts'
import { deviceName } from '../campaigns/respondents/forgotten.ts'
import { countedAt } from './schema.ts'
import { deviceRanges, rememberedParts, sidesOf } from './voters.ts'

const poll = (description: string, example: string) => pollParams.shape.slug.meta({ description, examples: [example] })

export const crosstabQuery = z.object({
  rows: poll('The slug, the shortId or the id of the poll whose options are the rows.', 'tea-or-coffee'),
  columns: poll('The slug, the shortId or the id of the poll whose options are the columns.', 'jam-or-honey'),
})

const cells = z.array(z.array(count).length(2)).length(2)
const share = z.object(shareFields)

export const crosstab = z
  .object({
    respondents: count.meta({ description: 'Devices that voted on both polls.', examples: [84] }),
    cells: cells.meta({
      description:
        'How many of them chose what: `[[AA, AB], [BA, BB]]`, where `AB` chose A on the poll of the rows and B on the other.',
      examples: [
        [
          [30, 18],
          [17, 19],
        ],
      ],
    }),
    rows: z
      .array(share.nullable())
      .length(2)
      .meta({
        description: 'The share of option A of the columns within each row; null for a row without respondents.',
        examples: [
          [
            { shareA: 0.625, low: 0.483_628, high: 0.747_847 },
            { shareA: 0.472_222, low: 0.31_986, high: 0.629_941 },
          ],
        ],
      }),
    ...differenceFields('The share in the first row minus that in the second; null if a row has no respondents.'),
    countedAt,
  })
  .meta({ id: 'Crosstab', description: 'How the respondents of a campaign who voted on two of its polls chose.' })

export type Crosstab = z.infer<typeof crosstab>

/** By the option on the poll of the rows, then on that of the columns. */
type Cells = [inRowA: [number, number], inRowB: [number, number]]

interface Pair {
  readonly rows: number
  readonly columns: number
}

/** Voters in memory at once. For more, the votes are read again. */
const MOST_DEVICES = 250_000
const CROSSTABS_AT_ONCE = 4

/** Reads every vote of both polls, so the numbers are kept for a minute. */
export class Crosstabs {
  readonly #kept = new KeptResults<Cells>()
  readonly #turns = new Semaphore(CROSSTABS_AT_ONCE)

  async of(db: Db, pair: Pair, now: number): Promise<Crosstab> {
    const key = `${pair.rows} ${pair.columns}`
    const { value, at } = await this.#kept.of(key, now, () => this.#turns.run(() => countCells(db, pair)))
    const [a, b] = value.map(([optionA, optionB]) => ({ optionA, optionB })) as [Sides, Sides]
    return {
      respondents: a.optionA + a.optionB + b.optionA + b.optionB,
      cells: value,
      rows: [shareInterval(a), shareInterval(b)],
      ...(differenceInterval(a, b) ?? { difference: null, low: null, high: null }),
      countedAt: iso(at),
    }
  }
}

/** Remembers the voters of one poll, as many as fit, and finds them among those of the other. */
async function countCells(db: Db, { rows, columns }: Pair): Promise<Cells> {
  const sides = await sidesOf(db, [rows, columns])
  const votesOf = (pollKey: number) => sides(pollKey).optionA + sides(pollKey).optionB
  const counts = { AA: 0, AB: 0, BA: 0, BB: 0 }
  for (const devices of deviceRanges(Math.ceil(votesOf(rows) / MOST_DEVICES))) {
    const chosen = new Map<string, OptionName>()
    for await (const part of rememberedParts(db, { pollKey: rows, votes: votesOf(rows), devices }))
      for (const { device, option } of part) chosen.set(deviceName(device), option)
    for await (const part of rememberedParts(db, { pollKey: columns, votes: votesOf(columns), devices }))
      for (const { device, option } of part) {
        const row = chosen.get(deviceName(device))
        if (row) counts[`${row}${option}`]++
      }
  }
  return [
    [counts.AA, counts.AB],
    [counts.BA, counts.BB],
  ]
}
