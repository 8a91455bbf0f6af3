/** The path of a program that tests need. If it is missing, the end of the run says so. */
export function findProgram(name: string, PATH = process.env['PATH'] ?? ''): string | null {
  const found = Bun.which(name, { PATH })
  if (found === null) process.stderr.write(`${name} is not there: its tests are skipped\n`)
  return found
}
