import { sql } from 'kysely'
import type { Ask, TestService } from './service.ts'

export interface TimelineData {
  readonly bucket: string
  readonly from: string
  readonly to: string
  readonly points: {
    readonly at: string
    readonly optionA: number
    readonly optionB: number
    readonly views?: number
  }[]
}

export interface PastVote {
  readonly option: 'A' | 'B'
  readonly votedAt: number
}

/** Inserts votes of the past with their tally and counts, as if the service had been running then. */
export async function castInThePast({ db }: TestService, pollKey: number, votes: readonly PastVote[]): Promise<void> {
  const { n } = await db
    .selectFrom('votes')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('poll_key', '=', pollKey)
    .executeTakeFirstOrThrow()
  const rows = votes.map(({ option, votedAt }, i) => ({
    poll_key: pollKey,
    device: crypto.getRandomValues(new Uint8Array(16)),
    option,
    voted_at: votedAt,
    position: Number(n) + i + 1,
  }))
  await db.transaction().execute(async (tx) => {
    for (let at = 0; at < rows.length; at += 1_000) {
      await tx
        .insertInto('votes')
        .values(rows.slice(at, at + 1_000))
        .execute()
    }
    const gains = votes.flatMap(({ option, votedAt }) =>
      [60_000, 3_600_000].map((width) => ({
        poll_key: pollKey,
        width,
        at: votedAt - (votedAt % width),
        option_a: option === 'A' ? 1 : 0,
        option_b: option === 'B' ? 1 : 0,
      })),
    )
    for (const gain of gains) {
      await tx
        .insertInto('vote_counts')
        .values(gain)
        .onConflict((conflict) =>
          conflict.columns(['poll_key', 'width', 'at']).doUpdateSet({
            option_a: sql<number>`vote_counts.option_a + excluded.option_a`,
            option_b: sql<number>`vote_counts.option_b + excluded.option_b`,
          }),
        )
        .execute()
    }
    const a = votes.filter(({ option }) => option === 'A').length
    await tx
      .updateTable('tallies')
      .set({ option_a: sql<number>`option_a + ${a}`, option_b: sql<number>`option_b + ${votes.length - a}` })
      .where('poll_key', '=', pollKey)
      .execute()
  })
}

export const timelineOf = (service: TestService, slug: string, { query = '', ...ask }: Ask & { query?: string }) =>
  service.get<TimelineData>(`brands/me/polls/${slug}/timeline${query}`, ask)

export const sumOf = ({ points }: TimelineData) =>
  points.reduce((sum, { optionA, optionB }) => ({ optionA: sum.optionA + optionA, optionB: sum.optionB + optionB }), {
    optionA: 0,
    optionB: 0,
  })
