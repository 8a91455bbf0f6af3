// Results of each file of a batch, from the report and the output of its process.

/** A failure outside of a test (a crash, a file that does not load, a file without a test) counts as one failure. */
export function resultsOf(files, { report, code, output, seconds, processor }) {
  const results = files.map((file) => resultOf(file, { report, output: outputOf(file, files, output), code }))
  const time = results.reduce((sum, result) => sum + result.seconds, 0)
  // A crash may leave no trace of the file that caused it: then all are suspects.
  const isUnexplained = !results.some(({ failed }) => failed > 0) && isRed(results, { code, output })
  return results.map((result) => {
    const share = time === 0 ? 1 / files.length : result.seconds / time
    return {
      ...result,
      code,
      seconds: seconds * share,
      processor: processor === null ? null : processor * share,
      failed: isUnexplained ? 1 : result.failed,
    }
  })
}

function resultOf(file, { report, output, code }) {
  const head = [...report.matchAll(/<testsuite [^>]*>/g)].find(([text]) => attribute(text, 'name') === file)?.[0] ?? ''
  const number = (name) => Number(attribute(head, name) ?? 0)
  const [total, failures, skipped] = ['tests', 'failures', 'skipped'].map(number)
  const isBroken = total === 0 || (code !== 0 && /^# Unhandled error/m.test(output))
  const failed = isBroken ? Math.max(failures, 1) : failures
  return { file, output, seconds: number('time'), passed: total - failures - skipped, failed, skipped }
}

/** With several files, a name pattern may match nothing in one of them. */
function isRed(results, { code, output }) {
  const isFilteredOut = results.every(({ passed }) => passed === 0) && /regex .* matched 0 tests/.test(output)
  return code !== 0 && !isFilteredOut
}

const attribute = (head, name) => head.match(new RegExp(` ${name}="([^"]*)"`))?.[1]

/** Bun writes the name of each file above its tests. */
function outputOf(file, files, output) {
  if (files.length === 1) return output
  const heads = [...output.matchAll(/^(?:::group::)?(\S+\.tsx?):$/gm)].filter(([, name]) => files.includes(name))
  const at = heads.findIndex(([, name]) => name === file)
  return at < 0 ? output : output.slice(heads[at].index, heads[at + 1]?.index)
}
