import { afterEach, expect, test } from 'bun:test'
import { createHome } from '../../server/test/child-service.ts'
import { noFindings } from '../../server/test/crash/audit.ts'
import { CrashTest } from '../../server/test/crash/rounds.ts'
import { engines } from '../../server/test/engines.ts'
import { ADMIN_URL } from '../../server/test/own-database.ts'
import { canPrepare, pgbouncer, startPgbouncer } from '../../server/test/own-pgbouncer.ts'

const undo: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const work of undo.splice(0).toReversed()) await work()
})

test.each([...engines])(
  '%s: no acknowledged vote is lost or counted twice, no code votes twice, and no checkpoint is contradicted when a server is killed',
  async (engine) => {
    const home = await createHome(engine === 'postgres' ? ADMIN_URL : null)
    undo.push(home.remove)
    const crash = await CrashTest.start(home, {}, { servers: engine === 'postgres' ? 2 : 1 })
    undo.push(() => crash.stop())
    // Each round also counts the logs of the one before again.
    for (const votes of [1, 700, 1]) {
      const { acknowledged, checkpoints, findings } = await crash.killServer(votes)
      expect(findings).toEqual(noFindings())
      expect(acknowledged).toBeGreaterThanOrEqual(votes)
      expect(checkpoints).toBeGreaterThan(0)
    }
  },
  180_000,
)

test.if(engines.includes('postgres') && pgbouncer !== null)(
  'postgres: no acknowledged vote is lost or counted twice when PgBouncer is killed, or the server before it',
  async () => {
    const home = await createHome(ADMIN_URL)
    undo.push(home.remove)
    const url = home.database.engine === 'postgres' ? home.database.url : ''
    const pooler = await startPgbouncer(url, { isPreparing: canPrepare })
    undo.push(pooler.stop)
    const settings = { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: url, DATABASE_PREPARE: String(canPrepare) }
    const crash = await CrashTest.start(home, { settings })
    undo.push(() => crash.stop())
    for (const strike of [() => crash.killServer(300), () => crash.killDatabase(300, pooler)]) {
      const { acknowledged, findings } = await strike()
      expect(findings).toEqual(noFindings())
      expect(acknowledged).toBeGreaterThanOrEqual(300)
    }
  },
  180_000,
)
