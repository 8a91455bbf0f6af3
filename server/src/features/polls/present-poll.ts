import { iso, isoOrNull } from '../../base/clock.ts'
import type { ActivitySubject } from '../../events/activity.ts'
import type { OwnedPoll, PollListItem, PublicPoll } from '../../events/resources/poll.ts'
import type { PollTallies } from '../../events/resources/tallies.ts'
import { variantKey } from '../../files/file-keys.ts'
import { type Version, versionedTag } from '../../http/precondition.ts'
import { presentBrandSummary } from '../brands/brands.ts'
import type { Deps } from '../deps.ts'
import { publicUrl } from '../uploads/files.ts'
import { fieldsOf, placementOf } from './poll-columns.ts'
import type { PollLabels, PollRow } from './queries.ts'
import { areResultsHidden, presentTallies, statusAt, type Viewer } from './status.ts'

interface View {
  readonly deps: Pick<Deps, 'config'>
  readonly viewer: Viewer
  readonly now: number
}

export function presentListItem(row: PollRow, { deps, viewer, now }: View): PollListItem {
  const urlOf = (key: string | null) => (key === null ? null : publicUrl(deps, key))
  const shuffled = row.option_order === 'random' ? { shuffled: true as const } : {}
  const [a, b] = [placementOf(row, 'a'), placementOf(row, 'b')]
  return {
    id: row.id,
    slug: row.slug,
    title: row.title,
    optionA: { label: row.label_a, imageUrl: urlOf(row.image_a), imageAlt: row.alt_a, ...a, ...shuffled },
    optionB: { label: row.label_b, imageUrl: urlOf(row.image_b), imageAlt: row.alt_b, ...b, ...shuffled },
    images: { optionA: urlOf(row.image_a), optionB: urlOf(row.image_b), combined: urlOf(row.shown_combined) },
    imageVariants: variantsOf(row, deps),
    tallies: presentTallies(row, viewer, now),
    status: statusAt(row, now),
    brand: presentBrandSummary(deps, { ...row, slug: row.brand_slug, name: row.brand_name }),
    createdAt: iso(row.created_at),
    // Cards of lists ask for a code too.
    ...(row.code_list_key !== null && { admission: 'code' as const }),
  }
}

export const presentPublicPoll = (row: PollRow, labels: PollLabels, view: View): PublicPoll => ({
  ...presentListItem(row, view),
  ...fieldsOf(row, labels, view.deps.config),
})

export const presentOwnedPoll = (row: PollRow, labels: PollLabels, view: Omit<View, 'viewer'>): OwnedPoll => ({
  ...presentPublicPoll(row, labels, { ...view, viewer: 'owner' }),
  archivedAt: isoOrNull(row.archived_at),
  codeListId: row.code_list_id,
})

export const changedPoll = ({ id, title }: Pick<PollRow, 'id' | 'title'>): ActivitySubject => ({
  kind: 'poll',
  id,
  title,
})

/** Changed by each PATCH and by nothing else: not by votes, the clock, the brand, or the worker's pictures. */
export const pollVersion = ({ updatedAt }: Pick<OwnedPoll, 'updatedAt'>): Version => updatedAt

export const pollTag = (poll: OwnedPoll): string => versionedTag(pollVersion(poll), poll)

/** While results are hidden, even the time of the last vote must not show. */
export const presentPollTallies = (row: PollRow, viewer: Viewer, now: number): PollTallies => ({
  slug: row.slug,
  status: statusAt(row, now),
  tallies: presentTallies(row, viewer, now),
  updatedAt: iso(areResultsHidden(row, viewer, now) ? row.updated_at : Math.max(row.updated_at, row.counted_at)),
})

function variantsOf(row: PollRow, deps: View['deps']): PollListItem['imageVariants'] {
  const slots = [
    ['optionA', row.image_a, row.widths_a],
    ['optionB', row.image_b, row.widths_b],
    ['combined', row.shown_combined, row.widths_combined],
  ] as const
  return slots.flatMap(([slot, key, widths]) =>
    key === null || !widths
      ? []
      : widths
          .split(' ')
          .map((width) => ({ url: publicUrl(deps, variantKey(key, Number(width))), width: Number(width), slot })),
  )
}
