const guides = (names: string) => names.split(' ').map((name) => ({ name, file: `docs/guides/${name}.md` }))

/** Texts of the repository that are shown as pages, in the order in which a reader needs them; `name` stands in the address of the page. */
export const DOC_GROUPS = [
  { title: 'Start', docs: [{ name: 'start', file: 'README.md' }, ...guides('compared free')] },
  { title: 'Ask', docs: guides('questions console several-polls polls campaigns codes pictures') },
  {
    title: 'Show',
    docs: guides('embedding newsletter stage wordpress site-builders frameworks theming states native'),
  },
  { title: 'Understand', docs: guides('reading analytics integrity check-a-count activity privacy') },
  { title: 'Build', docs: guides('tokens idempotency scripts agents sdk clients webhooks errors limits') },
  {
    title: 'Run',
    docs: [
      ...guides('run settings processes citus people backup upgrade watching reliability scale benchmark'),
      { name: 'results', file: 'bench/RESULTS.md' },
      { name: 'security', file: 'SECURITY.md' },
      { name: 'changes', file: 'CHANGELOG.md' },
    ],
  },
]

export const DOCS = DOC_GROUPS.flatMap(({ docs }) => docs)
