// Extracts the part of a test file's output that the report shows.

// A long log keeps its end, which must say why a test failed.
const mostEndLines = 60
// The first failure, near the beginning, may be the cause of the others.
const firstFailureLines = 40
const linesOfCode = 10
const errorLine = /^(error|\w*Error)\b/

export const withoutPasses = (output) => output.replace(/^\(pass\) .*\n/gm, '')

/** The first failure with the code that Bun shows above it, and the end. */
export function firstAndLast(lines) {
  const endFrom = Math.max(0, lines.length - mostEndLines)
  const failure = lines.findIndex((line) => errorLine.test(line))
  const from = Math.max(0, failure - linesOfCode)
  if (failure === -1 || from >= endFrom) return lines.slice(endFrom)
  const first = lines.slice(from, Math.min(from + firstFailureLines, endFrom))
  const left = endFrom - from - first.length
  return [...first, ...(left > 0 ? [`… ${left} lines …`] : []), ...lines.slice(endFrom)]
}
