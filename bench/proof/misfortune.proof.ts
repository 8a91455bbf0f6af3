import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdir, open, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DAY } from '../../server/src/base/clock.ts'
import { createHome, type Home, type Launch } from '../../server/test/child-service.ts'
import { noFindings } from '../../server/test/crash/audit.ts'
import { CrashTest } from '../../server/test/crash/rounds.ts'
import { engines } from '../../server/test/engines.ts'
import { eventually } from '../../server/test/eventually.ts'
import { leastOf } from '../../server/test/least-of.ts'
import { ADMIN_URL } from '../../server/test/own-database.ts'
import { canMount, mountSmall, unmount } from '../../server/test/small-disk.ts'

setDefaultTimeout(180_000)

const VOTES = 300
// Real time: the length of the pause is the subject.
const STOPPED_MS = 30_000
const CALL_MS = 1_000
const CLOCK_SET = 'the clock of the machine was set'
const SCRIPTS = new URL('../../server/test/misfortune/', import.meta.url).pathname

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const work of undo.splice(0).toReversed()) await work()
})

async function start(engine: string, launch: Launch = {}, diskMegabytes?: number) {
  const home = await createHome(engine === 'postgres' ? ADMIN_URL : null)
  undo.push(() => home.remove())
  if (diskMegabytes !== undefined) {
    await mountSmall(home.dataDir, diskMegabytes)
    undo.push(() => unmount(home.dataDir))
  }
  const crash = await CrashTest.start(home, launch)
  undo.push(() => crash.stop())
  return { home, crash }
}

const logged = (crash: CrashTest, text: string) => crash.server.lastLines().filter((line) => line.includes(text))

/** The status of a read, which must come at once. */
async function readPolls({ server }: CrashTest): Promise<number> {
  let status = 0
  const wait = await leastOf(CALL_MS, async () => {
    const askedAt = performance.now()
    const answer = await fetch(`${server.url}/api/rest/v1/brands/crash/polls`)
    await answer.text()
    status = answer.status
    return performance.now() - askedAt
  })
  expect(wait).toBeLessThan(CALL_MS)
  return status
}

test.each([...engines])('%s: a server that is stopped for 30 s loses and doubles no vote', async (engine) => {
  const { crash } = await start(engine)
  const { acknowledged, findings } = await crash.round(async (load) => {
    await load.untilAccepted(VOTES)
    process.kill(crash.server.pid, 'SIGSTOP')
    await Bun.sleep(STOPPED_MS)
    process.kill(crash.server.pid, 'SIGCONT')
    await load.untilAccepted(2 * VOTES)
  })
  expect(findings).toEqual(noFindings())
  expect(acknowledged).toBeGreaterThanOrEqual(2 * VOTES)
})

test.each([...engines])('%s: a clock that jumps a day forwards and two back costs no vote', async (engine) => {
  const { home, crash } = await start(engine, {
    preload: join(SCRIPTS, 'moving-clock.ts'),
    settings: { VOTES_PER_MINUTE: '100' },
  })
  const jump = async (milliseconds: number) => {
    const before = logged(crash, CLOCK_SET).length
    await writeFile(join(home.dataDir, 'clock'), String(milliseconds))
    process.kill(crash.server.pid, 'SIGUSR2')
    await eventually(() => logged(crash, CLOCK_SET).length === before + 1)
  }
  const { findings } = await crash.round(async (load) => {
    await load.untilAccepted(VOTES)
    await jump(DAY)
    await load.untilAccepted(2 * VOTES)
    await jump(-2 * DAY)
    await load.untilAccepted(3 * VOTES)
  })
  expect(findings).toEqual(noFindings())
})

test('sqlite: on a disk that needs 200 ms a sync, votes wait for it and reads do not', async () => {
  const { crash } = await start('sqlite', { preload: join(SCRIPTS, 'slow-disk.ts') })
  const { findings } = await crash.round(async (load) => {
    await load.untilAccepted(VOTES)
    expect(await readPolls(crash)).toBe(200)
    await eventually(() => logged(crash, 'votes waited more than 100 ms to be stored').length > 0, { withinMs: 60_000 })
  })
  expect(findings).toEqual(noFindings())
})

test.if(canMount)(
  'sqlite: on a full disk votes are 503 and reads go on, and votes come back with the room',
  async () => {
    const { home, crash } = await start('sqlite', undefined, 16)
    const { findings } = await crash.round(async (load) => {
      await load.untilAccepted(VOTES)
      await fillUp(home)
      await eventually(() => logged(crash, 'disk is full').length > 0, { withinMs: 60_000 })
      expect(await readPolls(crash)).toBe(200)
      await rm(filler(home))
      await load.untilAccepted(2 * VOTES)
    })
    expect(findings).toEqual(noFindings())
  },
)

test.if(canMount)(
  'sqlite: killed on a full disk, it starts there, serves reads, and takes votes when there is room',
  async () => {
    const { home, crash } = await start('sqlite', undefined, 16)
    const { findings } = await crash.round(async (load) => {
      await load.untilAccepted(VOTES)
      await fillUp(home)
      await crash.server.kill()
      await load.stop()
      await fillUp(home)
      await crash.startAgain()
      expect(await readPolls(crash)).toBe(200)
      const ready = await fetch(`${crash.server.url}/readyz`)
      expect(ready.status).toBe(503)
      await rm(filler(home))
      await eventually(async () => (await fetch(`${crash.server.url}/readyz`)).status === 200)
    })
    expect(findings).toEqual(noFindings())
  },
)

test('sqlite: a byte turned over in the log of a killed server costs the votes behind it alone', async () => {
  const { home, crash } = await start('sqlite')
  const log = join(home.dataDir, 'tossup.sqlite-wal')
  const { acknowledged, findings } = await crash.round(async (load) => {
    // Before it are the polls, which must not be lost.
    const { size } = await stat(log)
    await load.untilAccepted(VOTES)
    await load.stop()
    await crash.server.kill()
    await turnByte(log, size)
    await crash.startAgain()
  })
  // The rest is exact, and a lost vote can be cast again.
  expect(findings.lost.length).toBeGreaterThan(0)
  expect(findings.lost.length).toBeLessThan(acknowledged)
  expect({ ...findings, lost: [] as string[] }).toEqual(noFindings())
})

const filler = ({ dataDir }: Home): string => join(dataDir, 'filler', 'zeros')

/** Until not a byte is left. */
async function fillUp(home: Home): Promise<void> {
  await mkdir(join(home.dataDir, 'filler'), { recursive: true })
  const file = await open(filler(home), 'a')
  for (const bytes of [1_048_576, 4_096, 1]) {
    const piece = new Uint8Array(bytes)
    let isFull = false
    while (!isFull) {
      const written = await file.write(piece).catch(() => ({ bytesWritten: 0 }))
      isFull = written.bytesWritten < bytes
    }
  }
  await file.close()
}

/** In the last third of what was written since the file had this size. */
async function turnByte(path: string, sizeBefore: number): Promise<void> {
  const { size } = await stat(path)
  const at = size - Math.floor((size - sizeBefore) / 3)
  const file = await open(path, 'r+')
  const byte = Buffer.alloc(1)
  await file.read(byte, 0, 1, at)
  byte[0] = (byte[0] ?? 0) ^ 0xff
  await file.write(byte, 0, 1, at)
  await file.close()
}
