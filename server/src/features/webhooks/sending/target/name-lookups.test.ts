import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { LookupAddress } from 'node:dns'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { eventually } from '../../../../../test/eventually.ts'
import { takingThreads } from '../../../../../test/full-pool.ts'
import { type NameServer, startNameServer, type Zone } from '../../../../../test/name-server.ts'
import { askNameServers, NameLookups } from './name-lookups.ts'

const LONG_MS = 10_000

const ZONES: Readonly<Record<string, Zone>> = {
  'both.example': { addresses: ['8.8.8.8', '8.8.4.4', '2001:4860:4860::8888'] },
  'four.example': { addresses: ['8.8.8.8'] },
  'six.example': { addresses: ['2001:4860:4860::8888'] },
  'mapped.example': { addresses: ['::ffff:7f00:1'] },
  'alias.example': { aliases: ['one.example', 'two.example', 'three.example'], addresses: ['10.0.0.7'] },
  'dangling.example': { aliases: ['one.example'] },
  'without-six.example': { addresses: ['8.8.8.8'], ignores: ['AAAA'] },
  'never.example': { ignores: ['A', 'AAAA'] },
  'servfail.example': { code: 'SERVFAIL' },
  'late.example': { addresses: ['8.8.8.8'], afterMs: 300 },
  receiver: { addresses: ['172.18.0.2'] },
  'in-hosts.example': { addresses: ['8.8.8.8'] },
  localhost: { addresses: ['8.8.8.8'] },
}

let server: NameServer
let folder: string
let hostsPath: string
beforeAll(async () => {
  server = await startNameServer((name) => ZONES[name] ?? { code: 'NXDOMAIN' })
  folder = await mkdtemp(join(tmpdir(), 'tossup-hosts-'))
  hostsPath = join(folder, 'hosts')
})
afterAll(async () => {
  await server.stop()
  await rm(folder, { recursive: true })
})

async function found(hostname: string, withinMs = LONG_MS): Promise<string[]> {
  const resolve = askNameServers({ servers: [server.address], hostsPath })
  return (await resolve(hostname, AbortSignal.timeout(withinMs))).map(({ address }) => address)
}

describe('the name servers', () => {
  test.each([
    ['both.example', ['8.8.8.8', '2001:4860:4860::8888', '8.8.4.4']],
    ['four.example', ['8.8.8.8']],
    ['six.example', ['2001:4860:4860::8888']],
    ['mapped.example', ['::ffff:127.0.0.1']],
    ['alias.example', ['10.0.0.7']],
    ['dangling.example', []],
    ['late.example', ['8.8.8.8']],
    ['servfail.example', []],
    ['missing.example', []],
    ['receiver', ['172.18.0.2']],
  ])('say of %s: %p', async (name, addresses) => {
    expect(await found(name)).toEqual(addresses)
  })

  test('are asked for both families of a name as it is written, and never for a name with a search domain', async () => {
    server.questions.length = 0
    await found('missing.example')
    await found('missing')
    const asked = server.questions.map(({ name, type }) => `${name} ${type}`)
    expect([...new Set(asked)].sort()).toEqual([
      'missing A',
      'missing AAAA',
      'missing.example A',
      'missing.example AAAA',
    ])
  })

  test('that never answer are given up in time, and those that ignore one family are not waited for', async () => {
    const startedAt = performance.now()
    expect(await found('never.example', 400)).toEqual([])
    const gaveUpAfter = performance.now() - startedAt
    expect(gaveUpAfter).toBeGreaterThan(390)
    expect(gaveUpAfter).toBeLessThan(LONG_MS / 2)
    expect(await found('without-six.example', LONG_MS)).toEqual(['8.8.8.8'])
    expect(performance.now() - startedAt - gaveUpAfter).toBeLessThan(LONG_MS / 2)
  })
})

describe('the hosts file', () => {
  test('comes before the name servers, and is read again when it changes', async () => {
    await rm(hostsPath, { force: true })
    const resolve = askNameServers({ servers: [server.address], hostsPath })
    const addressesOf = async (name: string) =>
      (await resolve(name, AbortSignal.timeout(LONG_MS))).map(({ address }) => address)
    expect(await addressesOf('in-hosts.example')).toEqual(['8.8.8.8'])
    await writeFile(hostsPath, '# 10.0.0.1 in-hosts.example\n10.0.0.2\tOther In-Hosts.example # a comment\r\n')
    expect(await addressesOf('in-hosts.example')).toEqual(['10.0.0.2'])
    await writeFile(hostsPath, '10.0.0.2 in-hosts.example\n::1 in-hosts.example\nnonsense in-hosts.example\n')
    expect(await addressesOf('in-hosts.example')).toEqual(['10.0.0.2', '::1'])
  })

  test.each(['localhost', 'a.localhost'])('has no say in %s, which is this machine', async (name) => {
    await writeFile(hostsPath, `10.0.0.2 ${name}\n`)
    expect(await found(name)).toEqual(['127.0.0.1', '::1'])
  })
})

describe('the pool of threads', () => {
  /** Runs `work` in a process whose two threads are taken. Returns whether a look at a file waits, and the outcome. */
  async function withFullPool(work: string, withinMs: number): Promise<string> {
    const { script, remove } = takingThreads(2)
    const target = new URL('./name-lookups.ts', import.meta.url).pathname
    const child = Bun.spawn({
      cmd: [
        process.execPath,
        '-e',
        // Before the threads are taken, which read modules too.
        `const { askNameServers } = await import(${JSON.stringify(target)})
        ${script}
        let isFull = true
        const { stat } = await import('node:fs')
        stat('/', () => { isFull = false })
        const ask = askNameServers({ servers: [${JSON.stringify(server.address)}], hostsPath: ${JSON.stringify(hostsPath)} })
        // Real time: nothing else says that a call waits for a thread.
        const found = await Promise.race([(${work})(), Bun.sleep(${withinMs})])
        console.log(JSON.stringify({ isFull, found }))
        process.exit()`,
      ],
      env: { UV_THREADPOOL_SIZE: '2' },
      stdout: 'pipe',
    })
    const said = await child.stdout.text()
    remove()
    return said.trim()
  }

  test('is not needed to resolve a name, but `dns.lookup` waits for it', async () => {
    const answered = '{"isFull":true,"found":[{"address":"8.8.8.8","family":4}]}'
    expect(await withFullPool(`() => ask('four.example', AbortSignal.timeout(${LONG_MS}))`, LONG_MS)).toBe(answered)
    const lookup = `async () => (await import('node:dns/promises')).lookup('localhost', { all: true })`
    expect(await withFullPool(lookup, 2_000)).toBe('{"isFull":true}')
  })
})

const PUBLIC = { address: '8.8.8.8', family: 4 }
const PRIVATE = { address: '10.0.0.7', family: 4 }
const WITHIN_MS = 1_500
/** A slow look-up keeps the names of other brands waiting for so long. */
const BRIEF_MS = 500

/** Name servers that answer when the test says so. */
function lookups(withinMs = WITHIN_MS) {
  const asked: string[] = []
  const answers = new Map<string, (found: LookupAddress[]) => void>()
  const clock = { now: 0 }
  const names = new NameLookups({
    resolve: (host) =>
      new Promise((resolve) => {
        asked.push(host)
        answers.set(host, resolve)
      }),
    isCallable: (address) => address !== PRIVATE.address,
    withinMs,
    now: () => clock.now,
  })
  const answer = async (host: string, ...found: LookupAddress[]) => {
    answers.get(host)?.(found)
    // All that follows from the answer.
    await nextTurn()
  }
  const stopping = new AbortController()
  const find = (brandKey: number, host: string) => names.find({ brandKey, host, signal: stopping.signal })
  return { find, asked, answer, clock, stopping }
}

describe('names of webhooks', () => {
  test('of one brand are resolved one at a time, and two over all', async () => {
    const { find, asked, answer } = lookups()
    const all = ['a', 'b', 'c'].map((host) => find(1, host))
    const others = [find(2, 'd'), find(3, 'e')]
    await answer('none')
    expect(asked).toEqual(['a', 'd'])
    await answer('d', PUBLIC)
    expect(asked).toEqual(['a', 'd', 'e'])
    await answer('a', PUBLIC)
    expect(asked).toEqual(['a', 'd', 'e', 'b'])
    await answer('e', PUBLIC)
    expect(asked).toEqual(['a', 'd', 'e', 'b'])
    await answer('b', PUBLIC)
    await answer('c', PUBLIC)
    expect(await Promise.all([...all, ...others])).toEqual(Array.from({ length: 5 }, () => [PUBLIC]))
  })

  test('are asked for once by all attempts of a brand that wait for the same answer, and again by the next', async () => {
    const { find, asked, answer } = lookups()
    const attempts = [find(1, 'a'), find(1, 'a')]
    await answer('none')
    expect(asked).toEqual(['a'])
    await answer('a', PUBLIC)
    expect(await Promise.all(attempts)).toEqual([[PUBLIC], [PUBLIC]])
    const next = find(1, 'a')
    await answer('none')
    expect(asked).toEqual(['a', 'a'])
    await answer('a', PUBLIC)
    await next
  })

  test('that are not answered let other brands go first after a moment, but not other names of their brand', async () => {
    const { find, asked } = lookups(3 * BRIEF_MS)
    const all = [find(1, 'a'), find(1, 'b'), find(2, 'c'), find(3, 'd')]
    // Told by the order in which timers end, which a stall of the process does not change.
    await pause(2.5 * BRIEF_MS)
    asked.push('a later moment')
    expect(await Promise.all(all)).toEqual([null, null, null, null])
    expect(asked).toEqual(['a', 'c', 'd', 'a later moment', 'b'])
  })

  test('that failed are not asked for again for a minute, by any brand', async () => {
    const { find, asked, answer, clock } = lookups(50)
    for (const [host, ...found] of [['missing'], ['internal', PRIVATE], ['both', PUBLIC, PRIVATE]] as const) {
      const first = find(1, host)
      await eventually(() => asked.includes(host))
      await answer(host, ...found)
      expect(await first).toBeNull()
    }
    expect(asked).toEqual(['missing', 'internal', 'both'])
    clock.now = 59_999
    for (const host of ['missing', 'internal', 'both']) expect(await find(2, host)).toBeNull()
    expect(asked).toEqual(['missing', 'internal', 'both'])
    clock.now = 60_000
    const again = find(2, 'internal')
    await answer('none')
    await answer('internal', PUBLIC)
    expect(await again).toEqual([PUBLIC])
  })

  test('hold back the next name of a brand as long if they fail, so that it does not tell how soon they failed', async () => {
    const { find, asked, answer } = lookups(2 * BRIEF_MS)
    const startedAt = performance.now()
    const failing = find(1, 'internal')
    const next = find(1, 'own')
    await answer('none')
    await answer('internal', PRIVATE)
    while (!asked.includes('own')) await Bun.sleep(BRIEF_MS / 50)
    expect(performance.now() - startedAt).toBeGreaterThan(BRIEF_MS - 10)
    await answer('own', PUBLIC)
    expect(await next).toEqual([PUBLIC])
    expect(await failing).toBeNull()
    expect(performance.now() - startedAt).toBeGreaterThan(2 * BRIEF_MS - 10)
  })
  test('that still wait when the service stops are not asked for', async () => {
    const { find, asked, answer, stopping } = lookups()
    const all = [find(1, 'a'), find(1, 'b')]
    await answer('none')
    stopping.abort()
    await answer('a', PUBLIC)
    expect(await Promise.all(all)).toEqual([[PUBLIC], null])
    expect(asked).toEqual(['a'])
  })
})
