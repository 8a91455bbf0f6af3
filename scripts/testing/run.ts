// Runs test files by `bun test --parallel`: tests, then proofs, then those that need the machine for themselves.
// Started by scripts/test.mjs.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { chooseFiles, ROOT, runsAlone, sampleEngineOf, splitArguments } from './files.ts'
import { oneServerFlags } from './one-server.ts'
import { testPlace } from './place.ts'
import { reportEnd } from './report.ts'
import { Outputs, type Result, resultsOf } from './results.ts'

/** With fewer files, a template and a build cost more than they save. */
const FEW_FILES = 10
/** Two per core of a small machine: many tests wait. PostgreSQL has room for 100 connections, and a worker uses up to 22. */
const WORKERS = process.env['TEST_WORKERS'] ?? '4'
/** Ends tests that hang, later than the waits in them, whose messages say more. */
const HANG_MS = 60_000
/** A blocked event loop ends no test, and neither does a wait inside `await expect(…).rejects`. */
const SILENT_MS = 15 * 60_000
const TIMINGS = join(ROOT, 'node_modules/.cache/test-timings.json')

const isChecked = !process.argv.includes('--checks-failed')
const { speeds, names, flags } = splitArguments(process.argv.slice(2).filter((arg) => arg !== '--checks-failed'))
const isWhole = names.length + flags.length === 0
const files = chooseFiles(speeds, names)
const folder = mkdtempSync(join(testPlace(), 'tossup-test-'))
// Tests start PostgreSQL as another user, who must be able to enter this folder.
chmodSync(folder, 0o711)
mkdirSync(join(ROOT, 'node_modules/.cache'), { recursive: true })

let signal = null as NodeJS.Signals | null
let running = null as Bun.Subprocess | null
let begun = 0
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(name, () => {
    signal ??= name
    running?.kill(name)
  })

const started = performance.now()
// Loaded here, because a few files need no service.
const prepared = files.length > FEW_FILES ? await (await import('./template.ts')).prepare(folder) : null
const results: Result[] = []
try {
  const together = files.filter((file) => !runsAlone(file))
  await runTogether(together.filter((file) => !isProof(file)))
  await runTogether(together.filter(isProof))
  for (const file of files.filter(runsAlone)) await runTogether([file])
} finally {
  await prepared?.remove()
  if (signal) await (await import('./template.ts')).dropLeftOver()
  removeFolder()
}
if (signal) process.exit(128 + constants.signals[signal])
const seconds = (performance.now() - started) / 1000
process.exit(reportEnd(results, { isShown: names.length > 0, isChecked, seconds }))

/** Killed tests leave small disks. */
function removeFolder(): void {
  const mounts = existsSync('/proc/mounts') ? readFileSync('/proc/mounts', 'utf8').split('\n') : []
  for (const place of mounts.flatMap((line) => line.split(' ')[1] ?? []).filter((path) => path.startsWith(folder)))
    Bun.spawnSync(['umount', '-l', place])
  rmSync(folder, { recursive: true, force: true })
}

function isProof(file: string): boolean {
  return file.includes('.proof.')
}

function environment(batch: readonly string[]): Record<string, string | undefined> {
  const sample = isWhole ? sampleEngineOf(speeds) : undefined
  return {
    ...process.env,
    TMPDIR: folder,
    // A process that ends soon hands no memory back to the system, only to fault it in again.
    MIMALLOC_PURGE_DELAY: '-1',
    // The last tier of Bun's compiler pays off after seconds under load.
    ...(batch.some(isProof) ? {} : { BUN_JSC_useFTLJIT: '0' }),
    ...(sample ? { TEST_SAMPLE_ENGINE: sample } : {}),
    ...(names.length > 0 && process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}),
    ...prepared?.variables,
  }
}

async function runTogether(batch: readonly string[]): Promise<void> {
  if (batch.length === 0 || signal) return
  const report = join(folder, `${results.length}.xml`)
  const ours = [`--parallel=${WORKERS}`, '--no-isolate', `--timeout=${HANG_MS}`, `--timings=${TIMINGS}`]
  const told = ['--reporter=junit', `--reporter-outfile=${report}`, ...(isWhole ? ['--update-timings'] : [])]
  const paths = batch.map((file) => `./${file}`)
  const words = ['--no-env-file', '--no-install', '--no-orphans', 'test', ...ours, ...told, ...oneServerFlags(flags)]
  // One pipe for both, so that their order stays.
  const child = Bun.spawn(['sh', '-c', 'exec "$0" "$@" 2>&1', process.execPath, ...words, ...paths], {
    cwd: ROOT,
    env: environment(batch),
    stdin: 'ignore',
    stdout: 'pipe',
  })
  running = child
  const outputs = new Outputs((file) => {
    if (names.length === 0) process.stdout.write(`${++begun}/${files.length} ${file}\n`)
  })
  const silence = setTimeout(() => {
    process.stdout.write(`Nothing was printed for ${SILENT_MS / 60_000} minutes: the files that run are ended.\n`)
    // `bun test` fails the files of the killed workers, and runs those that are left in others. Some machines have no pkill.
    Bun.spawnSync(['sh', '-c', 'pkill -KILL -P "$0" || kill "$0"', String(child.pid)])
  }, SILENT_MS)
  const decoder = new TextDecoder()
  for await (const chunk of child.stdout) {
    silence.refresh()
    const text = decoder.decode(chunk, { stream: true })
    outputs.add(text)
    if (names.length > 0) process.stdout.write(text)
  }
  const code = await child.exited
  clearTimeout(silence)
  running = null
  const xml = existsSync(report) ? readFileSync(report, 'utf8') : ''
  results.push(...resultsOf(batch, { report: xml, code, outputs: outputs.ofFile }))
}
