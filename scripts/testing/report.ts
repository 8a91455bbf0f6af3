// Sums up the report in JUnit's format that each `bun test` of a run writes.

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&', '#10': '\n' }
/** How much of its cause a failed test tells: each failure has room among the last lines of a run. */
const MOST_LINES = 16

export type Summary = ReturnType<typeof summarize>

/**
 * A crashed process, a file that does not load, an error outside of a test and a file without tests are failures too. The
 * report is empty if the run was killed. A name pattern may match nothing in a file.
 */
export function summarize(
  files: readonly string[],
  { report, code, hasPattern }: { report: string; code: number; hasPattern: boolean },
) {
  const heads = [...report.matchAll(/<testsuite [^>]*>/g)].map(([head]) => head)
  // A group of tests in a file has a suite of its own within that of the file.
  const ofFiles = heads.filter((head) => attribute(head, 'name') === attribute(head, 'file'))
  const suites = new Map(ofFiles.map((head) => [attribute(head, 'file'), head]))
  const sum = (name: string) => [...suites.values()].reduce((total, head) => total + Number(attribute(head, name)), 0)
  const ofTests = report.matchAll(/(<testcase [^>]*[^/]>)\s*(<failure [^>]*>)([^<]*)/g)
  const failed = [...ofTests].map(([, head = '', failure = '', said = '']) => {
    const names = [attribute(head, 'classname'), attribute(head, 'name')].filter(Boolean)
    const cause = decoded(said).trim() || attribute(failure, 'message')
    return [`${attribute(head, 'file')}: ${names.join(' > ')}`, ...cause.split('\n', MOST_LINES)].join('\n    ')
  })
  const empty = hasPattern ? [] : files.filter((file) => Number(attribute(suites.get(file) ?? '', 'tests')) === 0)
  const failures = [...failed, ...empty.map((file) => `${file}: no test of it ran`)]
  const passed = sum('tests') - sum('failures') - sum('skipped')
  const isWhole = (head = '') => ['failures', 'skipped'].every((name) => attribute(head, name) === '0')
  const isExplained = code === 0 || failures.length > 0 || (hasPattern && passed === 0 && code === 1)
  return {
    passed,
    skipped: sum('skipped'),
    /** The files of which every test passed. */
    whole: files.filter((file) => !empty.includes(file) && isWhole(suites.get(file))),
    /** Each failed test with its cause, and each failure outside of a test. */
    failures: isExplained ? failures : [`an error outside of a test: bun test ended with ${code}`],
    seconds: new Map(files.map((file) => [file, Number(attribute(suites.get(file) ?? '', 'time'))])),
  }
}

const decoded = (text: string) => text.replace(/&(#?\w+);/g, (entity, letters) => ENTITIES[letters] ?? entity)
const attribute = (head: string, name: string) => decoded(head.match(new RegExp(` ${name}="([^"]*)"`))?.[1] ?? '')
