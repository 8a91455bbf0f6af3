import { checkDatabase, type DatabaseFindings, databaseFaults } from '../../backup/check-database.ts'
import type { NewDatabase } from '../../db/snapshots/new-database.ts'
import { COUNTED_WIDTHS } from '../../db/vote-store.ts'
import { MOST_SOURCE_NAMES } from '../../events/resources/source-name.ts'
import { storedTheme } from '../../features/brands/themes/present-theme.ts'
import { MOST_LISTS } from '../../features/codes/schema.ts'
import { MOST_REVISIONS } from '../../features/polls/snapshots/revisions.ts'
import { archiveFault, quoted } from './check-row.ts'

type Database = Pick<NewDatabase, 'select'>

interface Rule {
  readonly table: string
  readonly column: string
  /** The key and the value of a row that breaks the rule. */
  readonly breach: string
  readonly rule: string
}

/** Tables that votes write have no foreign keys. */
const reference = (table: string, column: string, target: string): Rule => ({
  table,
  column,
  breach: `select ${column} as key, ${column} as value from ${table} where ${column} not in (select key from ${target})`,
  rule: 'Must be one of the archive',
})

const SLOTS = {
  image_a: 'optionA',
  image_b: 'optionB',
  image_combined: 'combined',
  image_composed: 'composed',
} as const

/** A picture of another brand would be shown. */
const picture = (table: string, column: string, slot: string, condition: string): Rule => ({
  table,
  column,
  breach: `select owner.key as key, owner.${column} as value from ${table} as owner
    left join files as own on own.key = owner.${column} and own.brand_key = owner.brand_key and own.slot = '${slot}'
    where owner.${column} is not null and own.key is null and owner.${condition}`,
  rule: `Must be a picture of the archive for ${slot}`,
})

const OF_ALL: readonly Rule[] = [
  ...['votes', 'code_uses', 'tallies', 'vote_counts', 'attributed_counts', 'view_counts', 'campaign_polls'].map(
    (table) => reference(table, 'poll_key', 'polls'),
  ),
  ...Object.entries(SLOTS).map(([column, slot]) => picture('polls', column, slot, 'deleted_at is null')),
  picture('files', 'part_a', 'optionA', 'width = 0 and owner.removed_at is null'),
  picture('files', 'part_b', 'optionB', 'width = 0 and owner.removed_at is null'),
  {
    table: 'campaign_polls',
    column: 'poll_key',
    breach: `select campaign_key as key, poll_key as value from campaign_polls
      join campaigns on campaigns.key = campaign_key join polls on polls.key = poll_key
      where campaigns.brand_key <> polls.brand_key`,
    rule: 'Must be a poll of the brand of the campaign',
  },
  {
    table: 'votes',
    column: 'device',
    breach: 'select poll_key as key, count(*) as value from votes group by poll_key, device having count(*) > 1',
    rule: 'A device must have at most one vote on a poll',
  },
  {
    table: 'source_names',
    column: 'brand_key',
    breach: `select brand_key as key, count(*) as value from source_names group by brand_key having count(*) > ${MOST_SOURCE_NAMES}`,
    rule: `A brand must have at most ${MOST_SOURCE_NAMES} sources`,
  },
  {
    table: 'polls',
    column: 'code_list_key',
    breach: `select polls.key as key, code_list_key as value from polls join code_lists on code_lists.key = code_list_key
      where code_lists.brand_key <> polls.brand_key`,
    rule: 'Must be a code list of the brand of the poll',
  },
  {
    table: 'code_lists',
    column: 'issued, revoked and used',
    breach: `select code_lists.key as key, issued as value from code_lists
      left join (
        select list_key, count(*) as codes, sum(is_revoked) as revoked from codes group by list_key
      ) as counted on counted.list_key = code_lists.key
      where deleted_at is null and (issued <> coalesce(codes, 0) or code_lists.revoked <> coalesce(counted.revoked, 0)
        or used < 0 or used > issued)`,
    rule: 'Must be as many as in codes',
  },
  {
    table: 'code_lists',
    column: 'brand_key',
    breach: `select brand_key as key, count(*) as value from code_lists where deleted_at is null
      group by brand_key having count(*) > ${MOST_LISTS}`,
    rule: `A brand must have at most ${MOST_LISTS} code lists`,
  },
  {
    table: 'poll_revisions',
    column: 'poll_key',
    breach: `select poll_key as key, count(*) as value from poll_revisions group by poll_key having count(*) > ${MOST_REVISIONS}`,
    rule: `A poll must have at most ${MOST_REVISIONS} revisions`,
  },
]

// A service removes a deleted campaign in steps.
const OF_A_BRAND: readonly Rule[] = ['campaign_polls', 'campaign_respondents'].map((table) =>
  reference(table, 'campaign_key', 'campaigns'),
)

/** Derived from votes: a service corrects them where it finds them wrong. */
export const OF_VOTES: readonly Rule[] = [
  ...COUNTED_WIDTHS.map((width) => ({
    table: 'tallies',
    column: 'option_a and option_b',
    breach: `select tallies.poll_key as key, option_a as value from tallies left join (
        select poll_key, sum(option_a) as a, sum(option_b) as b from vote_counts where width = ${width} group by poll_key
      ) as counted on counted.poll_key = tallies.poll_key
      where option_a <> coalesce(a, 0) or option_b <> coalesce(b, 0)`,
    rule: 'Must be as many as in vote_counts',
  })),
  ...['walked_to', 'walk_end'].map((column) => ({
    table: 'campaign_polls',
    column,
    breach: `select campaign_polls.poll_key as key, ${column} as value from campaign_polls
      join tallies on tallies.poll_key = campaign_polls.poll_key where ${column} > option_a + option_b`,
    rule: 'Must be at most the votes of the poll',
  })),
]

/** Throws at the first row of a backup that is right by itself, but not beside the others. */
export async function checkBackup(database: Database): Promise<DatabaseFindings> {
  await checkRules(database, OF_ALL)
  await checkThemes(database)
  return checkDatabase(database)
}

export async function checkBrand(database: Database, { hasVotes }: { hasVotes: boolean }): Promise<void> {
  const brands = await database.select('select key from brands')
  if (brands.length !== 1) throw archiveFault('rows/brands', 'Must have exactly one row.')
  await checkRules(database, [...OF_ALL, ...OF_A_BRAND, ...(hasVotes ? OF_VOTES : [])])
  await checkThemes(database)
  if (!hasVotes) return
  const findings = await checkDatabase(database)
  // Where votes came from is counted again when they are imported: the archive has no such counts.
  const [fault] = databaseFaults({ ...findings, wrongSources: [] })
  if (fault !== undefined) throw archiveFault('rows/tallies', fault)
}

async function checkRules({ select }: Database, rules: readonly Rule[]): Promise<void> {
  for (const { table, column, breach, rule } of rules) {
    const [found] = await select<{ key: unknown; value: unknown }>(`${breach} limit 1`)
    if (found) {
      const place = `rows/${table}, the row of ${quoted(found.key)}, ${column}`
      throw archiveFault(place, `${rule}, and is ${quoted(found.value)}.`)
    }
  }
}

const THEME_SLOTS = { logoLight: 'logo_light', logoDark: 'logo_dark', favicon: 'favicon' } as const

/** The pictures of a theme are those of its brand, and it names a stylesheet exactly where there is a current one. */
async function checkThemes({ select }: Database): Promise<void> {
  const brands = await select<{ key: number; theme: string; styles: number }>(
    `select key, theme, (select count(*) from theme_styles where brand_key = brands.key and until_version is null) as styles
     from brands where deleted_at is null`,
  )
  const files = await select<{ key: string; brand_key: number; slot: string }>(
    `select key, brand_key, slot from files where slot in ('logo_light', 'logo_dark', 'favicon')`,
  )
  const own = new Set(files.map(({ key, brand_key, slot }) => `${brand_key} ${slot} ${key}`))
  for (const { key, theme: text, styles } of brands) {
    const theme = storedTheme({ theme: text })
    const place = `rows/brands, the row of "${key}", theme`
    for (const [name, slot] of Object.entries(THEME_SLOTS)) {
      const value = theme[name as keyof typeof THEME_SLOTS]
      if (value !== undefined && !own.has(`${key} ${slot} ${value}`))
        throw archiveFault(`${place}.${name}`, `Must be a picture of the archive for ${slot}, and is ${quoted(value)}.`)
    }
    if (styles !== Number(theme.hasStyles === true)) {
      throw archiveFault(
        `${place}.hasStyles`,
        `Must be true exactly if rows/theme_styles has one row without until_version, and it has ${styles}.`,
      )
    }
  }
}
