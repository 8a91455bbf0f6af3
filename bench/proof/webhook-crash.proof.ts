import { afterEach, expect, test } from 'bun:test'
import { createHome } from '../../server/test/child-service.ts'
import { WebhookCrashTest } from '../../server/test/crash/webhook-rounds.ts'
import { engines } from '../../server/test/engines.ts'
import { ADMIN_URL } from '../../server/test/own-database.ts'

/** On a busy machine a server that is killed after its usual time answers hardly any request. */
const MOST_KILLS = 20

const undo: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const work of undo.splice(0).toReversed()) await work()
})

// spec: 6-3
test.each([...engines])(
  '%s: every acknowledged event arrives, signed, though the receiver fails and the server is killed',
  async (engine) => {
    const home = await createHome(engine === 'postgres' ? ADMIN_URL : null)
    undo.push(home.remove)
    const crash = await WebhookCrashTest.start(home)
    undo.push(() => crash.stop())
    const { acknowledged, attempts, findings } = await crash.round({
      events: 300,
      killEveryMs: 150,
      mostKills: MOST_KILLS,
    })
    expect(findings).toEqual({ lost: [], unsigned: [], unwanted: [] })
    expect(acknowledged).toBeGreaterThanOrEqual(300)
    expect(attempts).toBeGreaterThanOrEqual(acknowledged)
  },
  // A round starts the server up to twenty times.
  600_000,
)
