import { afterEach, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expectStatus, OwnerClient } from '../../server/test/child-service.ts'
import {
  newPlace,
  type Serving,
  type Settings,
  serve,
  spawnTossup,
  tossup,
  tossupJson,
} from '../../server/test/command.ts'
import { startLoad, vote } from '../../server/test/crash/load.ts'
import { Witness } from '../../server/test/crash/witness.ts'
import { engines } from '../../server/test/engines.ts'
import { paint } from '../../server/test/pictures.ts'
import { pathOf, type TicketData } from '../../server/test/uploads.ts'

/** All of them during the work of the command: of twenty over all of its time, half came before it. */
const ROUNDS = 8
/** Enough for commands that take a while to be killed in. */
const VOTES = 5_000
/** Enough to change the database at each moment; more would only slow down the commands beside them. */
const SLOW_LOAD = { voters: 4, pauseMs: 10 }
const POLL = 'tea-or-coffee'
const SETTINGS = {
  LOG_LEVEL: 'error',
  VOTES_PER_MINUTE: '1000000',
  NETWORK_VOTES_PER_MINUTE: '0',
  NETWORK_BRAND_VOTES_PER_MINUTE: '0',
}

const undo: (() => unknown)[] = []
// PostgreSQL writes a checkpoint for each of the many databases that are dropped.
afterEach(async () => {
  for (const work of undo.splice(0).toReversed()) await work()
}, 600_000)

async function stopped(server: Serving): Promise<void> {
  server.kill('SIGTERM')
  await server.ended
}

/** A poll with two small pictures: a restore decodes each, and the many large ones of the demo take four times as long as all else. */
async function createPoll(url: string, settings: Settings): Promise<void> {
  await tossupJson(['brand', 'create', '--slug', 'acme', '--name', 'Acme'], settings)
  const words = ['app', 'create', '--brand', 'acme', '--scopes', 'manage']
  const client = await OwnerClient.connect(
    url,
    await tossupJson<{ apiKeyId: string; apiKeySecret: string }>(words, settings),
  )
  await client.createPoll(POLL)
  for (const slot of ['optionA', 'optionB']) {
    const asked = await client.write('POST', `brands/me/polls/${POLL}/images/upload-url`, {
      slot,
      contentType: 'image/png',
    })
    const { uploadUrl, headers } = ((await expectStatus(asked, 200)) as { data: TicketData }).data
    const body = paint({ width: 120, height: 80 }, (x, y) => [120, x & 255, y & 255])
    await expectStatus(await fetch(url + pathOf(uploadUrl), { method: 'PUT', headers, body }), 200)
  }
}

interface Course {
  /** How long the command takes. */
  endMs: number
  /** The part of it in which Tossup only starts, and a kill interrupts nothing. */
  readonly startShare: number
}

async function courseOf(measure: () => Promise<number>): Promise<Course> {
  const startMs = await durationOf(() => tossup(['version'], {}))
  // The first run finds less in the caches than those that are killed.
  const endMs = Math.min(await measure(), await measure())
  return { endMs, startShare: Math.min(startMs / endMs, 0.9) }
}

/** Kills the command during its work, each round a little later. False if it was done before. */
async function killed(words: string[], settings: Record<string, string>, { course, round }: Kill): Promise<boolean> {
  const { startShare, endMs } = course
  const startedAt = performance.now()
  const child = spawnTossup(words, settings)
  // Real time: the moment of the kill is the subject.
  const timer = setTimeout(() => child.kill('SIGKILL'), endMs * (startShare + ((1 - startShare) * round) / ROUNDS))
  const code = await child.exited
  clearTimeout(timer)
  // The machine may be faster than before.
  if (code === 0) course.endMs = Math.min(endMs, performance.now() - startedAt)
  return code !== 0
}

interface Kill {
  readonly course: Course
  readonly round: number
}

test.each([...engines])(
  '%s: nothing half-done is served or taken for a backup, however a backup or a restore is killed',
  async (engine) => {
    const place = await newPlace(engine)
    const folder = mkdtempSync(join(tmpdir(), 'tossup-backups-'))
    undo.push(place.clear, () => rmSync(folder, { recursive: true }))
    const server = await serve({ ...place.settings, ...SETTINGS })
    undo.push(() => stopped(server))
    await createPoll(server.url, place.settings)
    const witness = new Witness()
    const votes = { url: server.url, polls: [POLL], witness }
    const filling = startLoad(votes)
    undo.push(() => filling.stop())
    await filling.untilAccepted(VOTES)
    await filling.stop()
    const load = startLoad({ ...votes, ...SLOW_LOAD })
    undo.push(() => load.stop())

    const backup = await courseOf(() => {
      const file = join(folder, `whole-${randomUUID()}.tar`)
      return durationOf(() => tossupJson(['backup', file], place.settings))
    })
    let kills = 0
    for (let round = 1; round <= ROUNDS; round++) {
      const file = join(folder, `${round}.tar`)
      const isKilled = await killed(['backup', file], place.settings, { course: backup, round })
      if (isKilled) kills++
      // A kill may also come after the file got its name: what has its name must be complete, as `verify` tests below.
      if (!isKilled) expect([round, existsSync(file)]).toEqual([round, true])
    }
    expect(kills).toBeGreaterThan(2)
    for (const name of readdirSync(folder).filter((each) => each.endsWith('.tar'))) {
      expect((await tossup(['verify', join(folder, name)], {})).code).toBe(0)
    }
    const before = witness.attempts.length
    const last = join(folder, 'last.tar')
    const told = witness.attempts.slice(0, before).filter((attempt) => witness.told(attempt))
    await tossupJson(['backup', last], place.settings)
    await load.stop()

    /** The last place restored without a kill, in which the acknowledged votes are sent again. */
    let whole = place
    const restore = await courseOf(async () => {
      const target = await newPlace(engine)
      undo.push(target.clear)
      whole = target
      return durationOf(() => tossupJson(['restore', last], target.settings))
    })
    let interrupted = 0
    for (let round = 1; round <= ROUNDS; round++) {
      const target = await newPlace(engine)
      undo.push(target.clear)
      const isKilled = await killed(['restore', last], target.settings, { course: restore, round })
      if (isKilled) interrupted++
      const verified = await tossup(['verify'], target.settings)
      if (verified.code === 0)
        expect([round, verified.stdout]).toEqual([round, expect.stringMatching(/^No fault found/)])
      else {
        // The next run finishes it, or finds it finished.
        const again = await tossup(['restore', last], target.settings)
        expect([round, again.code, again.stderr]).toEqual([round, 0, ''])
        expect((await tossup(['verify'], target.settings)).code).toBe(0)
      }
    }
    expect(interrupted).toBeGreaterThan(2)

    const again = await serve({ ...whole.settings, ...SETTINGS })
    undo.push(() => stopped(again))
    for (let at = 0; at < told.length; at += 50) {
      await Promise.all(told.slice(at, at + 50).map((attempt) => vote({ url: again.url, witness }, attempt)))
    }
    expect([witness.doubled, witness.contradictions]).toEqual([[], []])
  },
  600_000,
)

async function durationOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
