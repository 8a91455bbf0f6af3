// The checks, then every test. `npm test -- some/file.test.ts` runs that file alone, without the checks.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runChild } from './child.mjs'
import { ensureInstalled, root } from './install.mjs'

const interrupted = [129, 130, 143]
const bun = await ensureInstalled()
const args = process.argv.slice(2)
const isChecked = args.length > 0 || (await run(process.execPath, ['scripts/check.mjs']))

const folder = mkdtempSync(join(tmpdir(), 'tossup-test-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const report = join(folder, 'junit.xml')
// What hangs is ended; what is slow on a busy machine is not: a limit of time that is meant is an assertion of its own.
const hangMs = 30_000
const reporter = ['--reporter=junit', `--reporter-outfile=${report}`]
const flags = ['--no-env-file', '--no-install', 'test', `--timeout=${hangMs}`, ...reporter]
const isGreen = await run(bun, [...flags, ...args])
const { total, failed, skipped } = count(report)

// What fails outside of any test (a file that does not load, a crash) still shows as a failure.
const failures = isGreen ? failed : Math.max(failed, 1)
process.stdout.write(`${total - failed - skipped} passed, ${failures} failed, ${skipped} skipped\n`)
process.exitCode = isChecked && failures === 0 && total > skipped ? 0 : 1

async function run(command, argv) {
  const code = await runChild(command, argv, { cwd: root, stdio: 'inherit' }).exitCode
  if (interrupted.includes(code)) process.exit(code)
  return code === 0
}

function count(file) {
  const head = readReport(file).match(/<testsuites [^>]*>/)?.[0] ?? ''
  const number = (name) => Number(head.match(new RegExp(` ${name}="(\\d+)"`))?.[1] ?? 0)
  return { total: number('tests'), failed: number('failures'), skipped: number('skipped') }
}

function readReport(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
