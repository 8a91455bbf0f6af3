// One `bun test` process for each file, as many as keep the cores busy, the longest first.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runChild } from './child.mjs'
import { root } from './install.mjs'
import { testPlace } from './test-place.mjs'
import { openTemplate } from './test-template.mjs'
import { runBeside } from './test-workers.mjs'

const interruptions = [129, 130, 143]
const durationsFile = join(root, 'node_modules', '.tossup-test-seconds.json')
// Ends tests that hang, later than the waits in them, whose messages say more. A test of a time limit asserts it itself.
const hangMs = 60_000
// A test that has timed out inside `await expect(…).rejects` never lets its process end.
const silentMs = 30 * 60_000

// With fewer files, a template database costs more than its copies save.
const fewFiles = 10

/** Resolves to a result for each file; `onFile` is called as each ends. Exits the process when interrupted. */
export async function runFiles(bun, files, { flags, isRecorded, onFile }) {
  const folder = mkdtempSync(join(testPlace(), 'tossup-test-'))
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
  const template = files.length > fewFiles ? await openTemplate(bun) : null
  const variables = template?.name ? { TEST_TEMPLATE_DATABASE: template.name } : {}
  const results = []
  let interruption = 0
  const isLive = files.length === 1
  const work = async (file) => {
    if (interruption) return
    const place = join(folder, String(files.indexOf(file)))
    const result = await runFile(bun, file, { flags, variables, isLive, folder: place })
    if (interruptions.includes(result.code)) interruption = result.code
    else {
      results.push(result)
      onFile(result)
    }
  }
  await runBeside(queue, work)
  for (const file of files.filter(isAlone)) await work(file)
  await template?.end()
  if (interruption) process.exit(interruption)
  if (isRecorded) recordDurations(durations, results)
  return results
}

/** Proofs of how soon votes are answered would measure the other tests. */
const isAlone = (file) => /\/votes-beside-[^/]+\.proof\.ts$/.test(file)

async function runFile(bun, file, { flags, variables, isLive, folder }) {
  const started = performance.now()
  mkdirSync(folder, { mode: 0o711 })
  const report = join(folder, 'report.xml')
  const reporter = ['--reporter=junit', `--reporter-outfile=${report}`]
  const bunFlags = ['--no-env-file', '--no-install', '--no-orphans']
  const args = [...bunFlags, 'test', '--preload=./scripts/test-times.mjs', `--timeout=${hangMs}`, ...reporter, ...flags]
  const color = isLive && process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}
  const env = { ...process.env, ...variables, ...color, TMPDIR: folder }
  const { child, exitCode } = runChild(bun, [...args, `./${file}`], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const tell = (text) => {
    output += text
    if (isLive) process.stdout.write(text)
  }
  const silence = setTimeout(() => {
    tell(`\nIts process printed nothing for ${silentMs / 60_000} minutes and is killed.\n`)
    child.kill('SIGKILL')
  }, silentMs)
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      silence.refresh()
      tell(text)
    })
  }
  const code = await exitCode
  clearTimeout(silence)
  const counts = count(report, code, output)
  const processor = processorSeconds(readText(join(folder, 'processor-time')))
  // Also removes files left by tests that were killed.
  rmSync(folder, { recursive: true, force: true })
  return { file, code, output, seconds: (performance.now() - started) / 1000, processor, ...counts }
}

/** Of the process and its ended children, as noted by `test-times.mjs`. Null where the system does not tell. */
function processorSeconds(stat) {
  // Fields 14 to 17 of /proc/self/stat, in hundredths of a second; the third one follows the name in parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return stat === '' ? null : fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / 100
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
