import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { extendLogs } from '../src/features/log/extend-logs.ts'
import { engines } from './engines.ts'
import { addVotes, bytesOfLogs } from './many-votes.ts'
import { type PollData, startTestService, type TestService } from './service.ts'

// Runs in a process of its own: it measures the processor time of it.
// Needs Go and its module golang.org/x/mod: log-in-go/README.md says how to install them.
const SOURCES = '/usr/share/gocode'
const FOLDER = new URL('log-in-go', import.meta.url).pathname
const hasGo =
  Bun.which('go') !== null && (await Bun.file(`${SOURCES}/src/golang.org/x/mod/sumdb/tlog/tlog.go`).exists())

setDefaultTimeout(900_000)

interface LogData {
  readonly url: string
  readonly publicKey: string
  readonly checkpoint: string
}

const SIZES = [0, 1, 255, 256, 257, 65_536, 1_000_003]
const MOST_MICROSECONDS = 3
const MOST_BYTES = 3

describe.skipIf(!hasGo)('a log, checked by Go (skipped without golang-go and golang-golang-x-mod-dev)', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tossup-go-'))
    const env = { ...process.env, GO111MODULE: 'off', GOPATH: SOURCES, GOCACHE: join(folder, 'cache') }
    const built = Bun.spawnSync(['go', 'build', '-o', join(folder, 'check'), '.'], { cwd: FOLDER, env })
    if (built.exitCode !== 0) throw new Error(built.stderr.toString())
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test.each([...engines])('%s: checkpoints, tiles, inclusion and consistency', async (engine) => {
    const service = await startTestService(engine, { jobs: 'by hand' })
    const brand = await service.createBrand()
    const poll = await service.createPoll(brand)
    const device = crypto.randomUUID()
    const checkpoints: string[] = []
    let before = 0
    for (const size of SIZES) {
      if (size === 1) await service.vote(poll.slug, 'B', device)
      await addVotes(service, poll, { from: size === 1 ? 1 : before, to: size })
      const each = (await extendMicroseconds(service)) / (size - before)
      before = size
      const log = (await service.get<LogData>(`polls/${poll.slug}/log`)).body.data
      checkpoints.push(log.checkpoint)
      const receipts = size === 0 ? [] : [await receiptOf(service, poll, device)]
      expect(await judged({ ...log, checkpoints, receipts }, service)).toBe(`verified ${size}\n`)
      if (size >= 1_000_000) await expectCheap(service, { size, each })
    }
    await service.stop()
  })

  /** The verdict of the program, which reads the log as everybody may. */
  async function judged(log: LogData & { checkpoints: string[]; receipts: unknown[] }, service: TestService) {
    const url = log.url.replace(service.deps.config.publicUrl, service.service.url)
    const child = Bun.spawn([join(folder, 'check')], { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' })
    child.stdin.write(JSON.stringify({ ...log, url }))
    child.stdin.end()
    const [out, error] = await Promise.all([child.stdout.text(), child.stderr.text()])
    return out + error
  }
})

/** The processor time that it takes to bring the log up to date. */
async function extendMicroseconds({ deps }: TestService): Promise<number> {
  const before = process.cpuUsage()
  while (await extendLogs(deps));
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/** `each`: microseconds of processor time a vote. */
async function expectCheap(service: TestService, { size, each }: { size: number; each: number }) {
  const bytes = (await bytesOfLogs(service)) / size
  const { name } = service.deps.engine
  process.stdout.write(`${name}: ${each.toFixed(2)} µs of processor time and ${bytes.toFixed(2)} bytes a vote\n`)
  expect(each).toBeLessThan(MOST_MICROSECONDS)
  expect(bytes).toBeLessThan(MOST_BYTES)
}

async function receiptOf(service: TestService, { slug }: PollData, device: string) {
  const { body } = await service.get<{ commitment: string; index: number; proof: string[] }>(
    `polls/${slug}/votes/me/receipt`,
    { device },
  )
  const { commitment, index, proof } = body.data
  return { index, entry: `tossup-vote/1 B ${commitment}`, proof }
}
