import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { HOUR } from '../src/base/clock.ts'
import { ChildService, createHome, createOwner, type Home, type Owner, OwnerClient } from './child-service.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { ADMIN_URL } from './own-database.ts'

setDefaultTimeout(60_000)

const MOVING_CLOCK = new URL('misfortune/moving-clock.ts', import.meta.url).pathname

describe.if(engines.includes('postgres'))('two servers, one of them with a wrong clock', () => {
  let home: Home
  let owner: Owner
  let right: ChildService
  let wrong: ChildService
  beforeAll(async () => {
    home = await createHome(ADMIN_URL)
    owner = await createOwner(home, 'wrong-clocks')
    right = await ChildService.start(home)
    wrong = await ChildService.start(home, { preload: MOVING_CLOCK })
  })
  afterAll(async () => {
    await right?.stop()
    await wrong?.stop()
    await home?.remove()
  })

  const isAccepted = async (url: string, { headers }: OwnerClient) => {
    const { status } = await fetch(`${url}/api/rest/v1/brands/me/polls`, { headers: { ...headers } })
    return status === 200
  }

  test.each([3 * HOUR, -6 * HOUR])(
    'its clock moves by %d ms: tokens of each are accepted by the other, and live on',
    async (moved) => {
      const before = await OwnerClient.connect(right.url, owner)
      await writeFile(join(home.dataDir, 'clock'), String(moved))
      process.kill(wrong.pid, 'SIGUSR2')
      await eventually(() => wrong.lastLines().some((line) => line.includes('the clock of the machine was set')))
      const after = await OwnerClient.connect(wrong.url, owner)
      for (const client of [before, after]) {
        expect([await isAccepted(right.url, client), await isAccepted(wrong.url, client)]).toEqual([true, true])
      }
      const slug = `clock-${Math.abs(moved)}`
      await after.createPoll(slug)
      const { createdAt } = await after.read<{ createdAt: string }>(`brands/me/polls/${slug}`)
      expect(Math.abs(Date.parse(createdAt) - Date.now())).toBeLessThan(HOUR)
    },
  )
})
