import { expect, test } from 'bun:test'
import { noFindings } from './crash/audit.ts'
import { CrashTest } from './crash/rounds.ts'
import { engines } from './engines.ts'
import { ADMIN_URL } from './own-database.ts'

test.each([...engines])(
  '%s: no acknowledged vote is lost or counted twice when the server is killed',
  async (engine) => {
    const crash = await CrashTest.start(engine === 'postgres' ? ADMIN_URL : null)
    try {
      for (const votes of [1, 700]) {
        const { acknowledged, findings } = await crash.killServer(votes)
        expect(findings).toEqual(noFindings())
        expect(acknowledged).toBeGreaterThanOrEqual(votes)
      }
    } finally {
      await crash.stop()
    }
  },
  60_000,
)
