// CHANGELOG.md in the form of keepachangelog.com: `## [Unreleased]` first, then a section for each release.

/** The entries under Unreleased, without empty kinds of change. Throws if the form is wrong. */
export function unreleasedNotes(changelog) {
  const sections = split(changelog).notes.split(/^(?=### )/m)
  const filled = sections.filter((section) => /^- \S/m.test(section)).map((section) => section.trim())
  if (filled.length === 0) throw new Error('CHANGELOG.md: Unreleased has no entries ("- …"), add what has changed')
  return filled.join('\n\n')
}

/** The changelog with the entries of Unreleased moved under the heading of their release. */
export function releasedChangelog(changelog, { version, date }) {
  const notes = unreleasedNotes(changelog)
  const { before, after } = split(changelog)
  if (after.includes(`## [${version}]`)) throw new Error(`CHANGELOG.md: a section for ${version} is there already`)
  return `${before}## [Unreleased]\n\n## [${version}] - ${date}\n\n${notes}\n${after && `\n${after}`}`
}

function split(changelog) {
  const parts = changelog.split(/^## \[Unreleased\]\n/m)
  if (parts.length !== 2) throw new Error('CHANGELOG.md: must have the heading "## [Unreleased]" once')
  const [before, rest] = parts
  const [notes] = rest.split(/^## /m, 1)
  return { before, notes, after: rest.slice(notes.length) }
}
