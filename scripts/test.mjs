// `npm test`: the checks, then every test. `test:unit` and `test:proof` run the short and the long ones.
// `npm test -- server/test/votes.test.ts -t pattern` runs the named files alone, without the checks.
import { runChild } from './child.mjs'
import { ensureInstalled, root } from './install.mjs'
import { chooseFiles, sampleEngineOf, splitArguments } from './test-files.mjs'
import { runFiles } from './test-processes.mjs'
import { reportEnd, reportFile } from './test-report.mjs'
import { busyMs } from './test-workers.mjs'

const bun = await ensureInstalled()
const { speeds, names, flags } = splitArguments(process.argv.slice(2))
const isWhole = names.length === 0 && flags.length === 0
const files = chooseFiles(speeds, names)
if (isWhole && sampleEngineOf(speeds)) process.env.TEST_SAMPLE_ENGINE = sampleEngineOf(speeds)
const isChecked = !isWhole || !speeds.includes('test') || (await check())
const isVerbose = names.length > 0

let finished = 0
const started = performance.now()
const busyBefore = busyMs()
const { results, notes } = await runFiles(bun, files, {
  flags,
  isRecorded: flags.length === 0,
  onFile: (result) =>
    reportFile(result, { isVerbose, isShown: files.length === 1, progress: `${++finished}/${files.length}` }),
})
const elapsedMs = performance.now() - started
const busyCores = (busyMs() - busyBefore) / elapsedMs
process.exitCode = reportEnd(results, { isVerbose, isChecked, seconds: elapsedMs / 1000, busyCores, notes })

async function check() {
  const code = await runChild(process.execPath, ['scripts/check.mjs'], { cwd: root, stdio: 'inherit' }).exitCode
  if ([129, 130, 143].includes(code)) process.exit(code)
  return code === 0
}
