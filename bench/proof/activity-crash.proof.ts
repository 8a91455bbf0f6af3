import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { ChildService, createHome, createOwner, inDatabase, OwnerClient } from '../../server/test/child-service.ts'
import { engines } from '../../server/test/engines.ts'
import { ADMIN_URL } from '../../server/test/own-database.ts'

// Processes start slowly on a busy machine.
setDefaultTimeout(120_000)

const ROUNDS = 4
const WRITERS = 8
const WRITES_A_ROUND = 40

describe.each([...engines])('%s: kill -9 while a brand writes', (engine) => {
  test('leaves one entry in the activity for each acknowledged write, and none for a write that did not happen', async () => {
    const home = await createHome(engine === 'postgres' ? ADMIN_URL : null)
    try {
      const owner = await createOwner(home, 'crash')
      const acknowledged = new Set<string>()
      for (let round = 0; round < ROUNDS; round++) {
        const server = await ChildService.start(home)
        const { headers } = await OwnerClient.connect(server.url, owner)
        let killing: Promise<void> | null = null
        const goal = acknowledged.size + WRITES_A_ROUND
        const create = async (slug: string): Promise<boolean> => {
          const answer = await fetch(`${server.url}/api/rest/v1/brands/me/polls`, {
            method: 'POST',
            headers: {
              ...headers,
              'Content-Type': 'application/json',
              'X-Service-Idempotency-Key': `key-of-${slug}`,
            },
            body: JSON.stringify({ slug, title: slug, optionA: { label: 'A' }, optionB: { label: 'B' } }),
          })
          return answer.status === 201
        }
        const write = async () => {
          for (;;) {
            const slug = `p-${randomUUID().slice(0, 18)}`
            // A killed server breaks the connection.
            if (!(await create(slug).catch(() => false))) return
            acknowledged.add(slug)
            if (acknowledged.size >= goal) killing ??= server.kill()
          }
        }
        await Promise.all(Array.from({ length: WRITERS }, write))
        await (killing ?? server.kill())
      }
      expect(acknowledged.size).toBeGreaterThanOrEqual(ROUNDS * WRITES_A_ROUND)
      // One snapshot: PostgreSQL may still commit what the killed server has sent.
      const { polls, entries } = await inDatabase(home, ({ engine: { db } }) =>
        db
          .transaction()
          .setIsolationLevel('repeatable read')
          .execute(async (tx) => ({
            polls: await tx.selectFrom('polls').select('id').where('brand_key', '=', owner.brandKey).execute(),
            entries: await tx
              .selectFrom('activity')
              .select(['subject_id', 'subject_title'])
              .where('brand_key', '=', owner.brandKey)
              .execute(),
          })),
      )
      expect(entries.map(({ subject_id }) => subject_id).toSorted()).toEqual(polls.map(({ id }) => id).toSorted())
      const listed = new Set(entries.map(({ subject_title }) => subject_title))
      expect([...acknowledged].filter((slug) => !listed.has(slug))).toEqual([])
    } finally {
      await home.remove()
    }
  })
})
