// CHANGELOG.md in the form of keepachangelog.com: `## [Unreleased]` first, then a section for each release.
const start = '## [Unreleased]\n'

/** The entries under Unreleased, without empty kinds of change. Throws if the form is wrong. */
export function unreleasedNotes(changelog) {
  const { notes } = split(changelog)
  const sections = notes.split(/^(?=### )/m).map((section) => section.trim())
  const filled = sections.filter((section) => /^- \S/m.test(section))
  if (filled.length === 0) throw new Error('CHANGELOG.md: Unreleased has no entries ("- …"), add what has changed')
  return filled.join('\n\n')
}

/** The changelog with the entries of Unreleased moved under the heading of their release. */
export function releasedChangelog(changelog, { version, date }) {
  const notes = unreleasedNotes(changelog)
  const { before, after } = split(changelog)
  if (after.includes(`\n## [${version}]`)) throw new Error(`CHANGELOG.md: a section for ${version} is there already`)
  return `${before}${start}\n## [${version}] - ${date}\n\n${notes}\n${after}`
}

function split(changelog) {
  const parts = `\n${changelog}`.split(`\n${start}`)
  if (parts.length !== 2) throw new Error('CHANGELOG.md: must have the heading "## [Unreleased]" once')
  const [before, rest] = parts
  const end = rest.search(/^## /m)
  const notes = end < 0 ? rest : rest.slice(0, end)
  return { before: `${before}\n`.slice(1), notes, after: end < 0 ? '' : `\n${rest.slice(end)}` }
}
