const mostSlow = 10
// How a test says which service or program it does not find, such as "Redis does not answer: its tests are skipped".
const skipNote = /^.+: .+ (?:is|are) skipped$/gm

/** A line for each file, after the output of one that failed, or of each when `isVerbose`. */
export function reportFile(result, { isVerbose, isShown, progress }) {
  const { file, code, output, seconds, passed, failed, skipped } = result
  const counts = [
    `${passed} passed`,
    ...(failed ? [`${failed} failed`] : []),
    ...(skipped ? [`${skipped} skipped`] : []),
  ]
  const line = `${failed ? '✗' : '✓'} ${progress} ${file}: ${counts.join(', ')}, ${seconds.toFixed(1)} s`
  const reason = failed && passed + skipped === 0 && code === 0 ? 'it reports no test\n' : ''
  const ending = failed && code > 1 ? `its process ended with ${code}\n` : ''
  const shown = isVerbose ? output : withoutPasses(output)
  if (!isShown && (isVerbose || failed)) process.stdout.write(shown)
  process.stdout.write(`${reason}${ending}${line}\n`)
}

const withoutPasses = (output) => output.replace(/^\(pass\) .*\n/gm, '')

/** The slowest files, the failed files, and the line that counts. Returns the exit code. */
export function reportEnd(results, { isVerbose, isChecked, seconds }) {
  const sum = (key) => results.reduce((total, result) => total + result[key], 0)
  const failed = results.filter((result) => result.failed > 0)
  if (!isVerbose) {
    const slowest = results.toSorted((a, b) => b.seconds - a.seconds).slice(0, mostSlow)
    const lines = slowest.map((result) => `  ${result.seconds.toFixed(1).padStart(5)} s  ${result.file}`)
    process.stdout.write(`\nThe slowest files:\n${lines.join('\n')}\n${seconds.toFixed(0)} s in all\n`)
  }
  for (const { file, output } of failed) {
    // Bun repeats the failures of a long file at its end.
    const names = new Set(output.match(/\(fail\) .*/g) ?? ['(fail) outside of a test'])
    process.stdout.write(`\n${file}\n${[...names].map((name) => `  ${name}\n`).join('')}`)
  }
  for (const note of new Set(results.flatMap(({ output }) => output.match(skipNote) ?? [])))
    process.stdout.write(`${note}\n`)
  if (!isChecked) process.stdout.write('\nThe checks failed, see above.\n')
  const [passed, failures, skipped] = ['passed', 'failed', 'skipped'].map(sum)
  process.stdout.write(`${passed} passed, ${failures} failed, ${skipped} skipped\n`)
  return isChecked && failures === 0 && passed > 0 ? 0 : 1
}
