import type { Result } from './results.ts'

const MOST_SLOW = 10
/** The note of a test about a missing service or program, such as "Redis does not answer: its tests are skipped". */
const SKIP_NOTE = /^.+: .+ (?:is|are) skipped$/gm

/** Prints the slowest files, what the failed ones printed, and the totals. Returns the exit code. */
export function reportEnd(
  results: readonly Result[],
  { isShown, isChecked, seconds }: { isShown: boolean; isChecked: boolean; seconds: number },
): number {
  const say = (text: string) => process.stdout.write(`${text}\n`)
  const sum = (key: 'passed' | 'failed' | 'skipped') => results.reduce((total, result) => total + result[key], 0)
  if (!isShown) {
    const slowest = results.toSorted((a, b) => b.seconds - a.seconds).slice(0, MOST_SLOW)
    say(`\nThe slowest files of ${results.length}, in ${seconds.toFixed(0)} s:`)
    for (const { file, seconds } of slowest) say(`  ${seconds.toFixed(1).padStart(5)} s  ${file}`)
  }
  for (const { file, output } of results.filter(({ failed }) => failed > 0)) {
    if (!isShown) say(`\n${file}\n${output.replace(/^\(pass\) .*\n/gm, '').trimEnd()}`)
    const failures = Bun.stripANSI(output).match(/^\(fail\) .*/gm) ?? ['(fail) outside of a test']
    say(`\n${file}\n${[...new Set(failures)].map((name) => `  ${name}`).join('\n')}`)
  }
  for (const note of new Set(results.flatMap(({ output }) => output.match(SKIP_NOTE) ?? []))) say(note)
  if (!isChecked) say('\nThe checks failed, see above.')
  say(`${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`)
  return isChecked && sum('failed') === 0 && sum('passed') > 0 ? 0 : 1
}
