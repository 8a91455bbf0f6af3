import { storedTheme, type ThemeRow } from '../../features/brands/themes/present-theme.ts'
import { archiveFault, placeOf, quoted } from '../row-checks/check-row.ts'
import type { BrandContent } from './brand-content.ts'
import type { Row } from './brand-rows.ts'

/** Throws at the first row that is right by itself, but not beside the others. `brands` are those of the content, with theme. */
export function checkReferences(content: BrandContent, [brand, ...more]: readonly Row[]): void {
  if (!brand || more.length > 0) throw archiveFault('rows/brands', 'Must have exactly one row.')
  checkUnique(content)
  const polls = byKey(content.of('polls'))
  const campaigns = byKey(content.of('campaigns'))
  const known = new Map([[brand['key'], brand]])
  for (const table of ['theme_styles', 'files', 'polls', 'campaigns'] as const) {
    checkNamed(content, { table, column: 'brand_key', known })
  }
  for (const table of ['poll_tags', 'poll_categories', 'tallies', 'campaign_polls'] as const) {
    checkNamed(content, { table, column: 'poll_key', known: polls })
  }
  checkNamed(content, { table: 'campaign_polls', column: 'campaign_key', known: campaigns })
  content.sums.assertKnown(polls, campaigns)
  checkPictures(content, brand)
  checkStyles(content, brand)
  checkTallies(content, polls)
}

/** The columns by which the tables are unique, and those that other rows name. */
const UNIQUE = [
  ['files', 'key'],
  ['theme_styles', 'from_version'],
  ['polls', 'key'],
  ['polls', 'id'],
  ['polls', 'short_id'],
  ['polls', 'slug'],
  ['poll_tags', 'poll_key', 'tag'],
  ['poll_categories', 'poll_key', 'slug'],
  ['campaigns', 'key'],
  ['campaigns', 'id'],
  ['campaign_polls', 'campaign_key', 'poll_key'],
  ['tallies', 'poll_key'],
] as const

function checkUnique(content: BrandContent): void {
  for (const [table, ...columns] of UNIQUE) {
    const seen = new Set<string>()
    for (const row of content.of(table)) {
      const value = JSON.stringify(columns.map((column) => row[column]))
      if (seen.has(value)) throw archiveFault(placeOf(content.placeOf(row), columns.join(' and ')), 'Must be unique.')
      seen.add(value)
    }
  }
}

const byKey = (rows: readonly Row[]): ReadonlyMap<unknown, Row> => new Map(rows.map((row) => [row['key'], row]))

interface Reference {
  readonly table: Parameters<BrandContent['of']>[0]
  readonly column: string
  readonly known: ReadonlyMap<unknown, unknown>
}

function checkNamed(content: BrandContent, { table, column, known }: Reference): void {
  for (const row of content.of(table)) {
    if (known.has(row[column])) continue
    throw archiveFault(
      placeOf(content.placeOf(row), column),
      `Must be one of the archive, and is ${quoted(row[column])}.`,
    )
  }
}

const SLOTS = {
  image_a: ['optionA'],
  image_b: ['optionB'],
  image_combined: ['combined'],
  image_composed: ['composed'],
} as const

const THEME_SLOTS = { logoLight: 'logo_light', logoDark: 'logo_dark', favicon: 'favicon' } as const

/** Pictures are those of this brand, each in its slot: a key of another brand would show its picture. */
function checkPictures(content: BrandContent, brand: Row): void {
  const slots = new Map(content.of('files').map(({ key, slot }) => [key, slot]))
  const check = (key: unknown, allowed: readonly string[], place: string) => {
    if (key === null || key === undefined || allowed.includes(`${slots.get(key)}`)) return
    throw archiveFault(place, `Must be a picture of the archive for ${allowed.join(' or ')}, and is ${quoted(key)}.`)
  }
  for (const row of content.of('polls')) {
    for (const [column, allowed] of Object.entries(SLOTS))
      check(row[column], allowed, placeOf(content.placeOf(row), column))
  }
  for (const row of content.of('files').filter(({ width }) => width === 0)) {
    check(row['part_a'], ['optionA'], placeOf(content.placeOf(row), 'part_a'))
    check(row['part_b'], ['optionB'], placeOf(content.placeOf(row), 'part_b'))
  }
  const theme = storedTheme(brand as unknown as ThemeRow)
  for (const [name, slot] of Object.entries(THEME_SLOTS)) {
    check(theme[name as keyof typeof THEME_SLOTS], [slot], placeOf(placeOfBrand(content), `theme.${name}`))
  }
}

const placeOfBrand = (content: BrandContent): string => content.of('brands').map(content.placeOf).join()

/** The theme names a stylesheet exactly where there is a current one. */
function checkStyles(content: BrandContent, brand: Row): void {
  const current = content.of('theme_styles').filter(({ until_version }) => until_version === null)
  const isNamed = storedTheme(brand as unknown as ThemeRow).hasStyles === true
  if (current.length === Number(isNamed)) return
  throw archiveFault(
    placeOf(placeOfBrand(content), 'theme.hasStyles'),
    `Must be true exactly if rows/theme_styles has one row without until_version, and it has ${current.length}.`,
  )
}

function checkTallies(content: BrandContent, polls: ReadonlyMap<unknown, Row>): void {
  // An archive without votes keeps the tallies, which the import sets to 0.
  const hasVotes = content.count('votes') > 0 || content.count('vote_counts') > 0
  const totals = new Map<unknown, number>()
  for (const row of content.of('tallies')) {
    if (hasVotes) content.sums.assertTally(row, content.placeOf(row))
    totals.set(row['poll_key'], Number(row['option_a']) + Number(row['option_b']))
  }
  for (const [key, row] of polls) {
    if (!totals.has(key)) throw archiveFault(placeOf(content.placeOf(row), 'key'), 'Must have a row in rows/tallies.')
  }
  if (!hasVotes) return
  for (const row of content.of('campaign_polls')) {
    const most = totals.get(row['poll_key']) ?? 0
    for (const column of ['walked_to', 'walk_end']) {
      if (Number(row[column]) <= most) continue
      throw archiveFault(placeOf(content.placeOf(row), column), `Must be at most ${most}, the votes of the poll.`)
    }
  }
}
