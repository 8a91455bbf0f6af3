// One `bun test` process for each batch of files, as many as keep the cores busy, the longest first.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runChild } from './child.mjs'
import { root } from './install.mjs'
import { batchesOf } from './test-batches.mjs'
import { connectionsOf, describeUse, roomIn } from './test-connections.mjs'
import { testPlace } from './test-place.mjs'
import { buildProgram } from './test-program.mjs'
import { resultsOf } from './test-results.mjs'
import { flagsForServers } from './test-servers.mjs'
import { openTemplate } from './test-template.mjs'
import { runBeside } from './test-workers.mjs'

const interruptions = [129, 130, 143]
const durationsFile = join(root, 'node_modules', '.tossup-test-seconds.json')
// Ends tests that hang, later than the waits in them, whose messages say more. A test of a time limit asserts it itself.
const hangMs = 60_000
// A test that has timed out inside `await expect(…).rejects` never lets its process end.
const silentMs = 30 * 60_000

// With fewer files, a template database and a build cost more than they save, and a developer wants each file by itself.
const fewFiles = 10

/** Resolves to a result for each file, and notes for the end; `onFile` is called as each ends. Exits the process when interrupted. */
export async function runFiles(bun, files, { flags, isRecorded, onFile }) {
  const folder = mkdtempSync(join(testPlace(), 'tossup-test-'))
  // Tests start PostgreSQL as another user, who must be able to enter this folder.
  chmodSync(folder, 0o711)
  process.once('exit', () => removeFolder(folder))
  // No limit, because each child adds its own signal listener.
  process.setMaxListeners(0)
  const durations = readDurations()
  const isMany = files.length > fewFiles
  const each = longestFirst(
    files.filter((file) => !runsLast(file)).map((file) => [file]),
    durations,
  )
  // On two servers each file has flags of its own.
  const isShared = isMany && process.env.TEST_SERVERS !== '2'
  const queue = isShared ? longestFirst(batchesOf(each.flat()), durations) : each
  const [template, program] = isMany
    ? await Promise.all([openTemplate(bun, join(folder, 'template')), buildProgram(bun, folder)])
    : [null, '']
  const variables = {
    ...(template?.name
      ? { TEST_TEMPLATE_DATABASE: template.name, TEST_TEMPLATE_FINGERPRINT: template.fingerprint }
      : {}),
    ...(template?.sqlite ? { TEST_TEMPLATE_SQLITE: template.sqlite } : {}),
    TEST_TOSSUP: program,
  }
  const results = []
  const ran = []
  let interruption = 0
  const isLive = files.length === 1
  const work = async (batch) => {
    if (interruption) return
    const place = join(folder, String(files.indexOf(batch[0])))
    const { pid, code, results: ended } = await runBatch(bun, batch, { flags, variables, isLive, folder: place })
    ran.push({ files: batch, pid })
    if (interruptions.includes(code)) interruption = code
    else {
      results.push(...ended)
      for (const result of ended) onFile(result)
    }
  }
  const room = roomIn(template)
  await runBeside(queue, work, { room, needs: connectionsOf })
  for (const file of files.filter(runsLast)) await work([file])
  const use = await template?.end()
  if (interruption) process.exit(interruption)
  if (isRecorded) recordDurations(durations, results)
  return { results, notes: use ? describeUse(use, room, ran) : [] }
}

/** A process that ends soon hands no memory back to the system, only to fault it in again. */
const soonOver = { MIMALLOC_PURGE_DELAY: '-1' }

/** The last tier of Bun's compiler pays off after seconds under load: without it, other tests take less processor time. */
const withoutLoad = { BUN_JSC_useFTLJIT: '0' }
const isUnderLoad = (file) => file.startsWith('bench/')

/** Proofs of how soon votes are answered would measure the other tests. */
const runsLast = (file) => /\/votes-beside-[^/]+\.proof\.ts$/.test(file)

async function runBatch(bun, files, { flags, variables, isLive, folder }) {
  const started = performance.now()
  mkdirSync(folder, { mode: 0o711 })
  const report = join(folder, 'report.xml')
  const reporter = ['--reporter=junit', `--reporter-outfile=${report}`]
  const bunFlags = ['--no-env-file', '--no-install', '--no-orphans']
  const args = [...bunFlags, 'test', '--preload=./scripts/test-times.mjs', `--timeout=${hangMs}`, ...reporter]
  args.push(...flagsForServers(files[0], flags))
  const color = isLive && process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}
  const env = {
    ...process.env,
    ...soonOver,
    ...(files.some(isUnderLoad) ? {} : withoutLoad),
    ...variables,
    ...color,
    TMPDIR: folder,
  }
  const { child, exitCode } = runChild(bun, [...args, ...files.map((file) => `./${file}`)], {
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
  const processor = processorSeconds(readText(join(folder, 'processor-time')))
  const seconds = (performance.now() - started) / 1000
  const results = resultsOf(files, { report: readText(report), code, output, seconds, processor })
  // Removes files left by killed tests, too.
  removeFolder(folder)
  return { pid: child.pid, code, results }
}

/** Reports a folder that cannot be removed, such as a mounted disk, without ending the run of the other tests. */
function removeFolder(folder) {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch (error) {
    process.stderr.write(`${folder} is left behind: ${error.message}\n`)
  }
}

/** Processor time of the process and its ended children, as noted by `test-times.mjs`. Null if the system does not tell. */
function processorSeconds(stat) {
  // Fields 14 to 17 of /proc/self/stat, in hundredths of a second; the third one follows the name in parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return stat === '' ? null : fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / 100
}

/** Files without a recorded time go first: proofs, because they are the long ones, then the others by size. */
function longestFirst(batches, durations) {
  const sumOf = (batch, number) => batch.reduce((sum, file) => sum + number(file), 0)
  const seconds = (batch) => sumOf(batch, (file) => durations[file] ?? (file.includes('.proof.') ? 1e9 : 1e6))
  const size = (batch) => sumOf(batch, (file) => statSync(join(root, file)).size)
  return batches.toSorted((a, b) => seconds(b) - seconds(a) || size(b) - size(a))
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
