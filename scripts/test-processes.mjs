// One `bun test` process for each file, several at a time, the longest first.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { runChild } from './child.mjs'
import { root } from './install.mjs'

const interruptions = [129, 130, 143]
const durationsFile = join(root, 'node_modules', '.tossup-test-seconds.json')
// Ends what hangs. A limit of time that a test means is an assertion of its own.
const hangMs = 30_000

/** Resolves to a result for each file; `onFile` is called as each ends. Exits the process when interrupted. */
export async function runFiles(bun, files, { flags, isRecorded, onFile }) {
  const folder = mkdtempSync(join(tmpdir(), 'tossup-test-'))
  // A test's own PostgreSQL runs as another user, who must get through to its files.
  chmodSync(folder, 0o711)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  // Each child hands on signals by a listener of its own.
  process.setMaxListeners(0)
  const durations = readDurations()
  const queue = longestFirst(files, durations)
  const results = []
  let interruption = 0
  const isLive = files.length === 1
  const work = async () => {
    for (let file = queue.shift(); file && !interruption; file = queue.shift()) {
      const result = await runFile(bun, file, { flags, isLive, folder: join(folder, String(queue.length)) })
      if (interruptions.includes(result.code)) interruption = result.code
      else {
        results.push(result)
        onFile(result)
      }
    }
  }
  await Promise.all(Array.from({ length: workerCount(files.length) }, work))
  if (interruption) process.exit(interruption)
  if (isRecorded) recordDurations(durations, results)
  return results
}

/** Some tests wait rather than compute, so there are more processes than cores. */
function workerCount(files) {
  const wanted = process.env.TEST_WORKERS ?? String(availableParallelism() + 1)
  if (!/^[1-9]\d?$/.test(wanted)) {
    process.stderr.write(`TEST_WORKERS: must be a number from 1 to 99, got ${JSON.stringify(wanted)}\n`)
    process.exit(1)
  }
  return Math.min(Number(wanted), files)
}

async function runFile(bun, file, { flags, isLive, folder }) {
  const started = performance.now()
  mkdirSync(folder, { mode: 0o711 })
  const report = join(folder, 'report.xml')
  const reporter = ['--reporter=junit', `--reporter-outfile=${report}`]
  const args = ['--no-env-file', '--no-install', '--no-orphans', 'test', `--timeout=${hangMs}`, ...reporter, ...flags]
  const color = isLive && process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}
  const env = { ...process.env, ...color, TMPDIR: folder }
  const { child, exitCode } = runChild(bun, [...args, `./${file}`], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
      if (isLive) process.stdout.write(text)
    })
  }
  const code = await exitCode
  const counts = count(report, code, output)
  // What a test that was ended left behind goes too.
  rmSync(folder, { recursive: true, force: true })
  return { file, code, output, seconds: (performance.now() - started) / 1000, ...counts }
}

/** What fails outside of a test (a crash, a file that does not load, a file without a test) counts as one failure. */
function count(report, code, output) {
  const head = readText(report).match(/<testsuites [^>]*>/)?.[0] ?? ''
  const number = (name) => Number(head.match(new RegExp(` ${name}="(\\d+)"`))?.[1] ?? 0)
  const [total, failures, skipped] = ['tests', 'failures', 'skipped'].map(number)
  // Of several files, a pattern for names may match nothing in one.
  const isFilteredOut = total > 0 && total === skipped && /regex .* matched 0 tests/.test(output)
  const isGreen = total > 0 && (code === 0 || isFilteredOut)
  return { passed: total - failures - skipped, failed: isGreen ? failures : Math.max(failures, 1), skipped }
}

function longestFirst(files, durations) {
  const size = (file) => statSync(join(root, file)).size
  // A file that was never timed goes first: it may be the longest.
  const seconds = (file) => durations[file] ?? Number.POSITIVE_INFINITY
  return files.toSorted((a, b) => (seconds(a) === seconds(b) ? size(b) - size(a) : seconds(b) - seconds(a)))
}

function readDurations() {
  try {
    return JSON.parse(readFileSync(durationsFile, 'utf8'))
  } catch {
    return {}
  }
}

function recordDurations(durations, results) {
  for (const { file, seconds } of results) durations[file] = Math.round(seconds * 10) / 10
  try {
    writeFileSync(durationsFile, JSON.stringify(durations))
  } catch {
    // A read-only checkout is tested in any order.
  }
}

function readText(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
