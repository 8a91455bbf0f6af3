import { z } from 'zod'
import { HOUR, MINUTE } from '../../base/clock.ts'
import { nameText, STATUSES } from '../../base/fields.ts'
import { isShortId } from '../../base/ids.ts'
import { isBrandSlug, updateBrandBody } from '../../events/resources/brand.ts'
import { createCampaignBody } from '../../events/resources/campaign.ts'
import { createPollBody, option } from '../../events/resources/poll.ts'
import { declaredSource } from '../../events/resources/source-name.ts'
import { EMPTY_WINDOW, isEmptyWindow } from '../../events/resources/window.ts'
import { createCodeListBody, MOST_CODES } from '../../features/codes/schema.ts'
import { isCategorySlug } from '../../features/polls/change-category.ts'
import {
  ASSET_SLOTS,
  ASSET_TYPES,
  FAVICON_TYPES,
  isPollSlot,
  POLL_SLOTS,
  POLL_TYPES,
} from '../../features/uploads/files.ts'
import { contentTypeOf, isFileKey } from '../../files/file-keys.ts'

const flag = z.literal([0, 1])
const codeHashBytes = z.instanceof(Uint8Array).refine(({ length }) => length === 16, 'Must have 16 bytes.')
const fileKey = z.string().refine(isFileKey, 'Must be the name of a picture.')
const ofBrand = updateBrandBody.shape
const ofPoll = createPollBody.shape
const ofCampaign = createCampaignBody.in.shape
const alt = option.shape.imageAlt.unwrap().unwrap().nullable()

const window = { opens_at: z.int().nullable(), closes_at: z.int().nullable() }
const focus = z.int().max(10_000).optional()

const hasWindow = { path: ['closes_at'], error: EMPTY_WINDOW.message }
const isWindow = ({ opens_at, closes_at }: { opens_at: number | null; closes_at: number | null }): boolean =>
  !isEmptyWindow({ opensAt: opens_at, closesAt: closes_at })

const file = z
  .looseObject({
    key: fileKey,
    slot: z.enum([...POLL_SLOTS, ...ASSET_SLOTS, 'composed']),
    content_type: z.string(),
    width: z.int(),
    height: z.int(),
    removed_at: z.null(),
    variant_widths: z
      .string()
      .regex(/^(?:[1-9]\d{0,3}(?: [1-9]\d{0,3}){0,9})?$/, 'Must be at most ten widths, such as "320 640".'),
    part_a: fileKey.nullable(),
    part_b: fileKey.nullable(),
  })
  .refine((row) => typesOf(row.slot).includes(row.content_type) && isTypeOfKey(row), {
    path: ['content_type'],
    error: 'Must be that of the key, and one that the slot allows.',
  })
  .refine(
    ({ slot, width, height }) => (width > 0 && height > 0) || (slot === 'composed' && width === 0 && height === 0),
    {
      path: ['width'],
      error: 'Must be positive, except for a composed picture that is not made yet.',
    },
  )

/** Zod calls this for a row with a bad key, too. */
const isTypeOfKey = (row: { key: string; content_type: string }): boolean =>
  isFileKey(row.key) && contentTypeOf(row.key) === row.content_type

function typesOf(slot: string): readonly string[] {
  if (slot === 'composed') return ['image/webp']
  if (slot === 'favicon') return FAVICON_TYPES
  return isPollSlot(slot) ? POLL_TYPES : ASSET_TYPES
}

/** Rules of a brand's tables beside the types of the columns, the constraints of the database and `check-content`. */
export const rowSchemas = {
  brands: z.looseObject({
    slug: z
      .string()
      .refine(
        isBrandSlug,
        'Must have 1 to 63 characters of a-z, 0-9 and hyphens, and must not begin or end with a hyphen.',
      ),
    name: ofBrand.name.unwrap(),
    display_name: ofBrand.displayName.unwrap().unwrap().nullable(),
    description: ofBrand.description.unwrap().unwrap().nullable(),
    avatar_url: z
      .string()
      .regex(/^https?:\/\//, 'Must be an https URL.')
      .nullable(),
    location_city: ofBrand.locationCity.unwrap().unwrap().nullable(),
    location_state: ofBrand.locationState.unwrap().unwrap().nullable(),
    deleted_at: z.null().optional(),
    is_emptied: z.literal(0).optional(),
  }),
  theme_styles: z
    .looseObject({ from_version: z.int(), until_version: z.int().nullable() })
    .refine(({ from_version, until_version }) => until_version === null || from_version < until_version, {
      path: ['until_version'],
      error: 'Must be after from_version.',
    }),
  source_names: z.looseObject({ name: declaredSource }),
  code_lists: z.looseObject({
    name: createCodeListBody.shape.name,
    issued: z.int().max(MOST_CODES),
    deleted_at: z.null(),
  }),
  codes: z.looseObject({ hash: codeHashBytes, is_revoked: flag }),
  code_uses: z.looseObject({ hash: codeHashBytes }),
  files: file,
  polls: z
    .looseObject({
      short_id: z
        .string()
        .refine(isShortId, 'Must have 12 characters of A-Z, a-z, 0-9, - and _, with a capital letter.'),
      // Earlier versions accepted reserved words, and hyphens at the ends.
      slug: z.string().regex(/^[a-z0-9-]{1,128}$/, 'Must have 1 to 128 lower-case letters, digits and hyphens.'),
      title: ofPoll.title,
      label_a: option.shape.label,
      label_b: option.shape.label,
      image_a: fileKey.nullable(),
      image_b: fileKey.nullable(),
      image_combined: fileKey.nullable(),
      image_composed: fileKey.nullable(),
      alt_a: alt,
      alt_b: alt,
      fit_a: option.shape.fit,
      focus_x_a: focus,
      focus_y_a: focus,
      fit_b: option.shape.fit,
      focus_x_b: focus,
      focus_y_b: focus,
      is_shown_before_vote: flag.optional(),
      is_draft: flag,
      is_private: flag,
      results_visibility: ofPoll.resultsVisibility.unwrap(),
      option_order: ofPoll.optionOrder,
      challenge: ofPoll.challenge,
      ...window,
      deleted_at: z.null(),
      announced_status: z.enum(STATUSES).nullable(),
      is_emptied: z.literal(0),
    })
    .refine(isWindow, hasWindow),
  poll_tags: z.looseObject({ tag: nameText(1, 40), place: z.int().max(19) }),
  categories: z.looseObject({
    slug: z.string().refine(isCategorySlug, 'Must have 1 to 63 characters of a-z, 0-9 and hyphens.'),
    name: nameText(1, 80),
  }),
  poll_categories: z.looseObject({ place: z.int().max(19) }),
  poll_revisions: z.looseObject({
    title: ofPoll.title,
    label_a: option.shape.label,
    label_b: option.shape.label,
  }),
  campaigns: z
    .looseObject({
      title: ofCampaign.title.unwrap(),
      description: ofCampaign.description.unwrap().unwrap().nullable(),
      state: ofCampaign.state.unwrap(),
      is_public: flag,
      ...window,
      deleted_at: z.null(),
    })
    .refine(isWindow, hasWindow),
  votes: z.looseObject({ option: z.enum(['A', 'B']), shown: z.enum(['AB', 'BA']).nullable().optional() }),
  vote_counts: z.looseObject({ width: z.literal([MINUTE, HOUR]) }),
  poll_logs: z.looseObject({
    generation: z.string().regex(/^[a-z0-9]{6}$/, 'Must have 6 characters of a-z and 0-9.'),
    origin: z.string().regex(/^[\w.:[\]-]{1,300}\/log\/[\w-]{36}\/[a-z0-9]{6}$/, 'Must be the origin of a log.'),
  }),
  webhooks: z.looseObject({ url: z.string().regex(/^https?:\/\//, 'Must be an http or https URL.') }),
} as const
