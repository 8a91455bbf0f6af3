// One `bun test` process for each file, several at a time, the longest first.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { runChild } from './child.mjs'
import { root } from './install.mjs'

const interruptions = [129, 130, 143]
const durationsFile = join(root, 'node_modules', '.tossup-test-seconds.json')
// Ends tests that hang. A test whose subject is a time limit asserts it itself.
const hangMs = 30_000

/** Resolves to a result for each file; `onFile` is called as each ends. Exits the process when interrupted. */
export async function runFiles(bun, files, { flags, isRecorded, onFile }) {
  const folder = mkdtempSync(join(tmpdir(), 'tossup-test-'))
  // Tests start PostgreSQL as another user, who must be able to enter this folder.
  chmodSync(folder, 0o711)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  // Each child adds a signal listener of its own.
  process.setMaxListeners(0)
  const durations = readDurations()
  const queue = longestFirst(
    files.filter((file) => !isAlone(file)),
    durations,
  )
  const results = []
  let interruption = 0
  const isLive = files.length === 1
  const work = async (left) => {
    for (let file = left.shift(); file && !interruption; file = left.shift()) {
      const result = await runFile(bun, file, { flags, isLive, folder: join(folder, String(left.length)) })
      if (interruptions.includes(result.code)) interruption = result.code
      else {
        results.push(result)
        onFile(result)
      }
    }
  }
  await Promise.all(Array.from({ length: workerCount(files.length) }, () => work(queue)))
  await work(files.filter(isAlone))
  if (interruption) process.exit(interruption)
  if (isRecorded) recordDurations(durations, results)
  return results
}

/** Proofs of how soon votes are answered would measure the other tests. */
const isAlone = (file) => /\/votes-beside-[^/]+\.proof\.ts$/.test(file)

/** Some tests wait more than they compute, so there are more processes than cores. */
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
  // Also removes files left by tests that were killed.
  rmSync(folder, { recursive: true, force: true })
  return { file, code, output, seconds: (performance.now() - started) / 1000, ...counts }
}

/** A failure outside of a test (a crash, a file that does not load, a file without a test) counts as one failure. */
function count(report, code, output) {
  const head = readText(report).match(/<testsuites [^>]*>/)?.[0] ?? ''
  const number = (name) => Number(head.match(new RegExp(` ${name}="(\\d+)"`))?.[1] ?? 0)
  const [total, failures, skipped] = ['tests', 'failures', 'skipped'].map(number)
  // With several files, a name pattern may match nothing in one of them.
  const isFilteredOut = total > 0 && total === skipped && /regex .* matched 0 tests/.test(output)
  const isGreen = total > 0 && (code === 0 || isFilteredOut)
  return { passed: total - failures - skipped, failed: isGreen ? failures : Math.max(failures, 1), skipped }
}

/** Files without a recorded time go first: proofs, because they are the long ones, then the others by size. */
function longestFirst(files, durations) {
  const seconds = (file) => durations[file] ?? (file.includes('.proof.') ? Number.POSITIVE_INFINITY : Number.MAX_VALUE)
  const size = (file) => statSync(join(root, file)).size
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
    // In a read-only checkout the times cannot be recorded, so the order is arbitrary.
  }
}

function readText(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
