import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { entryOfVote, ReferenceLog, randomVotes, type Vote } from '../../sdk/test/reference-log.ts'
import type { Command, Result } from '../src/cli/command.ts'
import { logMirrorCommand } from '../src/cli/commands/log.ts'
import { verifyLogCommand } from '../src/cli/commands/verify-log.ts'
import { tossup } from './command.ts'

// A strict stand-in serves the log, so that it can lie.
let log: ReferenceLog
let folder: string
const server = Bun.serve({ port: 0, fetch: ({ url }) => log.answer(url) ?? new Response('', { status: 404 }) })
const votes = randomVotes(700)
const other = entryOfVote(randomVotes(1)[0] as Vote)
const newLog = (generation = 'first1') => new ReferenceLog({ votes, host: server.url.host, generation })

beforeEach(async () => {
  log = newLog()
  folder = await mkdtemp(join(tmpdir(), 'tossup-log-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))
afterAll(() => server.stop(true))

const page = () => `${server.url.origin}/p/Xk3_pQ9vZ2Lm`

async function outcome(command: Command, positionals: string[], values: Record<string, string | boolean> = {}) {
  const result = (await command.run({ positionals, values })) as (Result & { json: Record<string, unknown> }) | null
  const faults = (result?.json['faults'] ?? []) as { code: string }[]
  return { exitCode: result?.exitCode ?? 0, codes: faults.map(({ code }) => code), json: result?.json }
}

const verify = (place: string, values = {}) => outcome(verifyLogCommand, [place], values)
const mirror = () => outcome(logMirrorCommand, [page(), folder], { once: true })

async function kept(name: string, content: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, content)
  return path
}

describe('verify-log', () => {
  test('counts a log by the address of its page or of itself, and a bundle', async () => {
    const [optionA, optionB] = log.tallies()
    for (const place of [page(), `http://${log.origin}`, await kept('bundle.json', log.bundle())]) {
      const { exitCode, json } = await verify(place)
      expect(exitCode).toBe(0)
      expect(json).toMatchObject({ isSound: true, size: 700, count: { optionA, optionB } })
    }
  })

  const lies: readonly [string, (given: ReferenceLog) => void, string][] = [
    [
      'a changed entry',
      ({ served, entries }) => Object.assign(served, { entries: entries.with(9, other) }),
      'ENTRY_ALTERED',
    ],
    [
      'a removed entry',
      ({ served, entries }) => Object.assign(served, { entries: entries.toSpliced(9, 1) }),
      'ENTRY_ALTERED',
    ],
    [
      'an inserted entry',
      ({ served, entries }) => Object.assign(served, { entries: entries.toSpliced(9, 0, other) }),
      'ENTRY_ALTERED',
    ],
    [
      'swapped entries',
      ({ served, entries: [a = '', b = '', ...rest] }) => Object.assign(served, { entries: [b, a, ...rest] }),
      'ENTRY_ALTERED',
    ],
    ['another key', ({ served }) => Object.assign(served, { publicKey: newLog().publicKey }), 'SIGNATURE_INVALID'],
  ]
  test.each(lies)('finds %s, by address and in a bundle', async (_, tamper, code) => {
    tamper(log)
    for (const place of [page(), await kept('bundle.json', log.bundle())]) {
      expect(await verify(place)).toMatchObject({ exitCode: 3, codes: [code] })
    }
  })

  test('finds an altered tally, a dropped tile, a foreign key, and a log that does not extend an earlier one', async () => {
    const [a, b] = log.tallies()
    log.served.tallies = [a - 1, b + 1]
    expect(await verify(page())).toMatchObject({ exitCode: 3, codes: ['COUNT_DIFFERS'] })
    log.served = { isWithout: /entries\/001/ }
    expect(await verify(page())).toMatchObject({ exitCode: 3, codes: ['TILE_MISSING'] })
    log.served = {}
    expect(await verify(page(), { key: newLog().publicKey })).toMatchObject({
      exitCode: 3,
      codes: ['SIGNATURE_INVALID'],
    })
    const since = await kept('earlier.json', log.bundle())
    const note = await kept('checkpoint', log.sign(600))
    expect(await verify(page(), { since })).toMatchObject({ exitCode: 0 })
    log.entries = log.entries.with(9, other)
    for (const earlier of [since, note]) {
      expect(await verify(page(), { since: earlier })).toMatchObject({ exitCode: 3, codes: ['NOT_EXTENDED'] })
    }
  })

  test('as a program: its exit codes, one JSON object, and a text that forges no line', async () => {
    const forged = JSON.parse(log.bundle())
    forged.poll.title = 'x\nEverything holds.'
    forged.entries[9] = other
    const path = await kept('forged.json', JSON.stringify(forged))
    const [sound, broken, missing, elsewhere, misspelt] = await Promise.all(
      [[page(), '--json'], [path], [join(folder, 'none.json')], ['http://example.com/'], [page(), '--sinse', 'x']].map(
        (words) => tossup(['verify-log', ...words], {}),
      ),
    )
    expect([sound?.code, JSON.parse(sound?.stdout ?? '').isSound]).toEqual([0, true])
    expect([broken?.code, broken?.stdout.includes('\nEverything holds.')]).toEqual([3, false])
    expect(broken?.stdout).toContain('ENTRY_ALTERED')
    expect([missing?.code, missing?.stderr]).toEqual([1, expect.stringContaining('Cannot read')])
    expect([elsewhere?.code, misspelt?.code]).toEqual([2, 2])
  }, 120_000)
})

describe('log mirror', () => {
  const files = async () =>
    (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((each) => each.isFile())
      .map(({ name }) => name)

  test('keeps entries and every checkpoint, follows growth, and goes on after a restart of its own', async () => {
    const all = log.entries
    for (const size of [0, 5, 256, 300, 700]) {
      log.entries = all.slice(0, size)
      expect(await mirror()).toMatchObject({ exitCode: 0 })
    }
    expect((await files()).toSorted()).toEqual(
      [
        '000',
        '000000000',
        '000000005',
        '000000256',
        '000000300',
        '000000700',
        '001',
        '188',
        'checkpoint',
        'key',
        'latest',
      ].toSorted(),
    )
    expect(await readFile(join(folder, 'first1/checkpoint'), 'utf8')).toStartWith(`${log.origin}\n700\n`)
  })

  test('cries when a checkpoint does not extend the last one, and keeps both as evidence', async () => {
    await mirror()
    log.entries = [...log.entries.with(9, other), other]
    expect(await mirror()).toMatchObject({ exitCode: 3, codes: ['NOT_EXTENDED'] })
    const name = (await files()).find((each) => each.startsWith('evidence-'))
    const { checkpoints } = JSON.parse(await readFile(join(folder, name ?? ''), 'utf8'))
    expect(checkpoints.map(({ checkpoint }: { checkpoint: string }) => checkpoint.split('\n')[1])).toEqual([
      '700',
      '701',
    ])
  })

  test('cries at another log of the same size, and at an older one', async () => {
    await mirror()
    const first = log.entries
    log.entries = first.with(9, other)
    expect(await mirror()).toMatchObject({ exitCode: 3, codes: ['NOT_EXTENDED'] })
    log.entries = first.slice(0, 600)
    expect(await mirror()).toMatchObject({ exitCode: 3, codes: ['NOT_EXTENDED'] })
    log.entries = first
    expect(await mirror()).toMatchObject({ exitCode: 0 })
  })

  test('cries at entries that were not signed, at a missing tile and at another key, and says which', async () => {
    const all = log.entries
    log.entries = all.slice(0, 300)
    await mirror()
    log.entries = all
    log.served.entries = all.with(400, other)
    expect(await mirror()).toMatchObject({ exitCode: 3, codes: ['ENTRY_ALTERED'] })
    log.served = { isWithout: /entries\/001/ }
    expect(await mirror()).toMatchObject({ exitCode: 3, codes: ['TILE_MISSING'] })
    log.served = {}
    log = new ReferenceLog({ votes, host: server.url.host, generation: 'first1' })
    expect(await mirror()).toMatchObject({ exitCode: 3, codes: ['SIGNATURE_INVALID'] })
  })

  test('follows a told restart that keeps everything, and cries at one that is not told or loses votes', async () => {
    await mirror()
    const before = log
    log = newLog('second')
    expect(await mirror()).toMatchObject({ exitCode: 3, codes: ['NOT_EXTENDED'] })
    log.restarts = [{ origin: before.origin, size: 700, at: '2026-01-31T12:00:00.000Z' }]
    const all = log.entries
    log.entries = all.slice(1)
    expect(await mirror()).toMatchObject({ exitCode: 3, codes: ['NOT_EXTENDED'] })
    log.entries = all
    expect(await mirror()).toMatchObject({ exitCode: 0 })
    expect(await mirror()).toMatchObject({ exitCode: 0 })
  })

  test('refuses a copy that was changed, and wrong words', async () => {
    await mirror()
    const path = join(folder, 'first1/tile/entries/000')
    const bytes = await readFile(path)
    await writeFile(path, Buffer.concat([bytes.subarray(0, 20), Buffer.of((bytes[20] ?? 0) ^ 1), bytes.subarray(21)]))
    log.entries = [...log.entries, other]
    await expect(mirror()).rejects.toThrow('was changed')
    await expect(outcome(logMirrorCommand, [page()])).rejects.toThrow('DIR is missing')
    await expect(outcome(logMirrorCommand, [page(), folder], { every: '0' })).rejects.toThrow('--every')
  })
})
