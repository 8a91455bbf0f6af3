import type { Deps } from '../deps.ts'
import type { Found } from './find-subjects.ts'
import type { Asking } from './page.ts'

/**
 * Takes `utm_source` of the address as the source where the brand of the page has declared this name; any other is a name of somebody's
 * campaign, and would count as `other`. One row is read, and only for such an address, so that no page holds the names of a brand
 * and pages are kept only for names that exist.
 */
export async function withSourceOfLink({ engine: { db } }: Deps, { brandKey }: Found, asking: Asking): Promise<Asking> {
  const { looks, utmSource: source } = asking
  if (looks.source || source === null) return asking
  const declared = await db
    .selectFrom('source_names')
    .select('key')
    .where('brand_key', '=', brandKey)
    .where('name', '=', source)
    .executeTakeFirst()
  return declared ? { ...asking, looks: { ...looks, source }, given: [...asking.given, ['source', source]] } : asking
}
