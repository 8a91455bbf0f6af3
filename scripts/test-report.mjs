import { firstAndLast, withoutPasses } from './test-output.mjs'

const mostSlow = 10
// The note of a test about a missing service or program, such as "Redis does not answer: its tests are skipped".
const skipNote = /^.+: .+ (?:is|are) skipped$/gm

/** A line for each file, after its output if it failed or if `isVerbose`. */
export function reportFile(result, { isVerbose, isShown, progress }) {
  const { file, code, output, seconds, processor, passed, failed, skipped } = result
  const counts = [
    `${passed} passed`,
    ...(failed ? [`${failed} failed`] : []),
    ...(skipped ? [`${skipped} skipped`] : []),
  ]
  const time = `${seconds.toFixed(1)} s${processor === null ? '' : `, processor ${processor.toFixed(1)} s`}`
  const line = `${failed ? '✗' : '✓'} ${progress} ${file}: ${counts.join(', ')}, ${time}`
  const reason = failed && passed + skipped === 0 && code === 0 ? 'it reports no test\n' : ''
  const ending = failed && code > 1 ? `its process ended with ${code}\n` : ''
  const shown = isVerbose ? output : withoutPasses(output)
  if (!isShown && (isVerbose || failed)) process.stdout.write(shown)
  process.stdout.write(`${reason}${ending}${line}\n`)
}

/** Prints the slowest files, the failed files and the totals. Returns the exit code. `busyCores` are of the whole machine. */
export function reportEnd(results, { isVerbose, isChecked, seconds, busyCores, notes }) {
  const sum = (key) => results.reduce((total, result) => total + result[key], 0)
  const failed = results.filter((result) => result.failed > 0)
  if (!isVerbose) {
    process.stdout.write(`\nThe slowest files:\n${highest(results, 'seconds')}`)
    process.stdout.write(`\nThe most processor time:\n${highest(results, 'processor')}`)
    const used = `processor ${sum('processor').toFixed(0)} s, ${busyCores.toFixed(1)} cores busy`
    process.stdout.write(`${seconds.toFixed(0)} s in all, ${used}\n`)
  }
  for (const note of notes) process.stdout.write(`${note}\n`)
  for (const { file, output } of failed) {
    // Bun repeats the failures at the end of a long output.
    const names = new Set(output.match(/\(fail\) .*/g) ?? ['(fail) outside of a test'])
    process.stdout.write(`\n${file}\n${[...names].map((name) => `  ${name}\n`).join('')}`)
    if (!isVerbose) process.stdout.write(firstAndLast(withoutPasses(output).split('\n')).join('\n'))
  }
  for (const note of new Set(results.flatMap(({ output }) => output.match(skipNote) ?? [])))
    process.stdout.write(`${note}\n`)
  if (!isChecked) process.stdout.write('\nThe checks failed, see above.\n')
  const [passed, failures, skipped] = ['passed', 'failed', 'skipped'].map(sum)
  process.stdout.write(`${passed} passed, ${failures} failed, ${skipped} skipped\n`)
  return isChecked && failures === 0 && passed > 0 ? 0 : 1
}

function highest(results, key) {
  const first = results.toSorted((a, b) => b[key] - a[key]).slice(0, mostSlow)
  return first.map((result) => `  ${(result[key] ?? 0).toFixed(1).padStart(5)} s  ${result.file}\n`).join('')
}
