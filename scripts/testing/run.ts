// Runs test files by `bun test --parallel`: tests, then proofs, then those that need a process, or the machine, for themselves.
// Started by scripts/test.mjs.
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, constants } from 'node:os'
import { join } from 'node:path'
import { anewWithServices, chooseFiles, isProof, placeOf, ROOT, sampleEngineOf, splitArguments } from './files.ts'
import { oneServerFlags } from './one-server.ts'
import { testPlace } from './place.ts'
import { type Summary, summarize } from './report.ts'

/** With fewer files, a template and a build cost more than they save. */
const FEW_FILES = 10
/** Two per core of a small machine: many tests wait. PostgreSQL has room for 100 connections, and a worker uses up to 22. */
const WORKERS = process.env['TEST_WORKERS'] ?? '4'
/** Ends tests that hang: later than the waits in them, whose messages say more, and than a slow machine needs for a guide. */
const HANG_MS = 180_000
/** Lists the files that passed whole where no service answered. The first of two runs writes it. */
const PASSED = process.env['TEST_PASSED'] || null
const TIMINGS = join(ROOT, 'node_modules/.cache/test-timings.json')

const isChecked = !process.argv.includes('--checks-failed')
const { speeds, names, flags } = splitArguments(process.argv.slice(2).filter((arg) => arg !== '--checks-failed'))
const isWhole = names.length + flags.length === 0
const passedBefore = PASSED && existsSync(PASSED) ? readFileSync(PASSED, 'utf8').split('\n') : null
const partOf = (file: string) => (passedBefore?.includes(file) ? anewWithServices(file) : 'all')
const isOnPostgres = (file: string) => partOf(file) === 'postgres'
const files = chooseFiles(speeds, names).filter((file) => partOf(file) !== 'nothing')
const folder = mkdtempSync(join(testPlace(), 'tossup-test-'))
// Tests start PostgreSQL as another user, who must be able to enter this folder.
chmodSync(folder, 0o711)

let signal = null as NodeJS.Signals | null
const running = new Set<Bun.Subprocess>()
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(name, () => {
    signal ??= name
    for (const child of running) child.kill(name)
  })

const started = performance.now()
// Loaded here, because a few files need no service.
const prepared = files.length > FEW_FILES ? await (await import('./template.ts')).prepare(folder) : null
const summaries: Summary[] = []
try {
  const at = (place: string) => files.filter((file) => placeOf(file) === place)
  const together = at('together')
  const tests = together.filter((file) => !isProof(file))
  await runTogether(tests.filter((file) => !isOnPostgres(file)))
  await runTogether(tests.filter(isOnPostgres))
  await runTogether(together.filter(isProof))
  await runEach(at('in a process of its own'), availableParallelism())
  await runEach(at('alone'), 1)
} finally {
  await prepared?.remove()
  if (signal) await (await import('./template.ts')).dropLeftOver()
  removeFolder()
}
if (PASSED && !passedBefore) writeFileSync(PASSED, summaries.flatMap(({ whole }) => whole).join('\n'))
const failures = summaries.flatMap((summary) => summary.failures)
const sum = (key: 'passed' | 'skipped') => summaries.reduce((total, summary) => total + summary[key], 0)
const passed = sum('passed')
if (names.length === 0) printSlowest((performance.now() - started) / 1000)
for (const failure of failures) console.log(`(fail) ${failure}`)
if (!isChecked) console.log('\nThe checks failed, see above.')
console.log(`${passed} passed, ${failures.length} failed, ${sum('skipped')} skipped`)
process.exit(signal ? 128 + constants.signals[signal] : Number(!isChecked || failures.length > 0 || passed === 0))

function printSlowest(total: number): void {
  const slowest = summaries.flatMap(({ seconds }) => [...seconds]).toSorted(([, left], [, right]) => right - left)
  console.log(`\nThe slowest files of ${slowest.length}, in ${total.toFixed(0)} s:`)
  for (const [file, seconds] of slowest.slice(0, 10)) console.log(`  ${seconds.toFixed(1).padStart(5)} s  ${file}`)
}

/** Killed tests leave small disks. */
function removeFolder(): void {
  const mounts = existsSync('/proc/mounts') ? readFileSync('/proc/mounts', 'utf8').split('\n') : []
  for (const place of mounts.flatMap((line) => line.split(' ')[1] ?? []).filter((path) => path.startsWith(folder)))
    Bun.spawnSync(['umount', '-l', place])
  rmSync(folder, { recursive: true, force: true })
}

function environment(batch: readonly string[]): Record<string, string | undefined> {
  const sample = isWhole ? sampleEngineOf(speeds) : undefined
  return {
    ...process.env,
    TEST_PASSED: undefined,
    TMPDIR: folder,
    // A process that ends soon hands no memory back to the system, only to fault it in again.
    MIMALLOC_PURGE_DELAY: '-1',
    // The last tier of Bun's compiler pays off after seconds under load.
    ...(batch.some(isProof) ? {} : { BUN_JSC_useFTLJIT: '0' }),
    ...(batch.every(isOnPostgres) ? { TEST_ENGINE: 'postgres' } : {}),
    ...(sample ? { TEST_SAMPLE_ENGINE: sample } : {}),
    ...(names.length > 0 && process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}),
    ...prepared?.variables,
  }
}

/** Each in a process of its own. */
async function runEach(batch: readonly string[], atOnce: number): Promise<void> {
  const waiting = batch.values()
  const work = async () => {
    for (const file of waiting) await runTogether([file])
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

async function runTogether(batch: readonly string[]): Promise<void> {
  if (batch.length === 0 || signal) return
  const report = join(folder, `${crypto.randomUUID()}.xml`)
  const ours = [`--parallel=${WORKERS}`, '--no-isolate', `--timeout=${HANG_MS}`, `--timings=${TIMINGS}`]
  // A single file has no order, and two runs at once would write the timings at once.
  const isTimed = isWhole && batch.length > 1
  const told = ['--reporter=junit', `--reporter-outfile=${report}`, ...(isTimed ? ['--update-timings'] : [])]
  const shown = names.length > 0 ? [] : ['--dots']
  const options = ['--no-env-file', '--no-install', '--no-orphans', 'test', ...ours, ...told, ...shown]
  const paths = batch.map((file) => `./${file}`)
  const child = Bun.spawn([process.execPath, ...options, ...oneServerFlags(flags), ...paths], {
    cwd: ROOT,
    env: environment(batch),
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  running.add(child)
  const code = await child.exited
  running.delete(child)
  const hasPattern = flags.length > 0 || process.env['TEST_SERVERS'] !== undefined
  const text = existsSync(report) ? readFileSync(report, 'utf8') : ''
  summaries.push(summarize(batch, { report: text, code, hasPattern }))
}
