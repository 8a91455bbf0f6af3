/** A text of the repository that is shown as a page, by its name in the address of that page. */
interface DocEntry {
  readonly name: string
  /** Its path in the repository. */
  readonly file: string
}

interface DocGroup {
  readonly title: string
  readonly docs: readonly DocEntry[]
}

const guides = (...names: readonly string[]): DocEntry[] =>
  names.map((name) => ({ name, file: `docs/guides/${name}.md` }))

/** In the order in which a reader needs them. A guide that is not here fails `server/test/docs.test.ts`. */
export const DOC_GROUPS: readonly DocGroup[] = [
  { title: 'Start', docs: [{ name: 'start', file: 'README.md' }] },
  { title: 'Ask', docs: guides('console', 'polls', 'campaigns', 'pictures') },
  { title: 'Show', docs: guides('embedding', 'theming', 'states', 'native') },
  { title: 'Understand', docs: guides('analytics', 'integrity', 'activity', 'privacy') },
  { title: 'Build', docs: guides('tokens', 'idempotency', 'scripts', 'sdk', 'webhooks', 'errors', 'limits') },
  {
    title: 'Run',
    docs: [
      ...guides(
        'run',
        'settings',
        'processes',
        'citus',
        'people',
        'backup',
        'upgrade',
        'watching',
        'reliability',
        'scale',
        'benchmark',
      ),
      { name: 'results', file: 'bench/RESULTS.md' },
      { name: 'security', file: 'SECURITY.md' },
      { name: 'changes', file: 'CHANGELOG.md' },
    ],
  },
]

export const DOC_NAMES: readonly string[] = DOC_GROUPS.flatMap(({ docs }) => docs.map(({ name }) => name))

const nameOf = new Map(DOC_GROUPS.flatMap(({ docs }) => docs.map(({ name, file }) => [file, name] as const)))

/** The page that shows a file of the repository; undefined if none does. */
export const docOfFile = (file: string): string | undefined => nameOf.get(file)
