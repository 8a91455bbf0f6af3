import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Tx } from '../src/db/store.ts'
import { Popularity } from '../src/features/polls/popularity.ts'
import { pollKeyOf } from './ballot-box.ts'
import { engines } from './engines.ts'
import { startTestService, type TestService } from './service.ts'
import { castMany } from './voters.ts'

setDefaultTimeout(60_000)

describe.each([...engines])('%s: popularity', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine, { jobs: 'by hand' })
  })
  afterAll(() => service.stop())

  test('of a poll is written, also where another one is deleted before the lock', async () => {
    const brand = await service.createBrand()
    const polls = [await service.createPoll(brand), await service.createPoll(brand)]
    const keys = await Promise.all(polls.map((poll) => pollKeyOf(service, poll)))
    for (const key of keys) await castMany(service, key, 3)
    const { deps, clock } = service
    const [deleted = 0, kept = 0] = keys
    const deletesFirst: typeof deps.engine = Object.create(deps.engine, {
      lockPollsWithVotes: {
        async value(tx: Tx, locked: readonly number[]) {
          await tx.updateTable('polls').set({ deleted_at: clock.now() }).where('key', '=', deleted).execute()
          return deps.engine.lockPollsWithVotes(tx, locked)
        },
      },
    })
    const popularity = new Popularity(deletesFirst)
    popularity.noteVotes(keys)
    expect(await popularity.refresh(clock.now())).toBe(false)
    const written = (key: number) =>
      service.db
        .selectFrom('polls')
        .select(['popularity', 'vote_total'])
        .where('key', '=', key)
        .executeTakeFirstOrThrow()
    expect(await written(kept)).toEqual({ popularity: 3, vote_total: 3 })
    expect(await written(deleted)).toEqual({ popularity: 0, vote_total: 0 })
  })
})
