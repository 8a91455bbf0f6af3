import { afterEach, expect, test } from 'bun:test'
import { createHome } from '../../server/test/child-service.ts'
import { noFindings } from '../../server/test/crash/audit.ts'
import { CrashTest } from '../../server/test/crash/rounds.ts'
import { engines } from '../../server/test/engines.ts'
import { ADMIN_URL } from '../../server/test/own-database.ts'

const undo: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const work of undo.splice(0).toReversed()) await work()
})

test.each([...engines])(
  '%s: no acknowledged vote is lost or counted twice when the server is killed',
  async (engine) => {
    const home = await createHome(engine === 'postgres' ? ADMIN_URL : null)
    undo.push(home.remove)
    const crash = await CrashTest.start(home)
    undo.push(() => crash.stop())
    for (const votes of [1, 700]) {
      const { acknowledged, findings } = await crash.killServer(votes)
      expect(findings).toEqual(noFindings())
      expect(acknowledged).toBeGreaterThanOrEqual(votes)
    }
  },
  60_000,
)
