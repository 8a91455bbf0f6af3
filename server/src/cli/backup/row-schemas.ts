import { z } from 'zod'
import { DAY, HOUR, MINUTE } from '../../base/clock.ts'
import { nameText, STATUSES } from '../../base/fields.ts'
import { isShortId, isUuid } from '../../base/ids.ts'
import { isBrandSlug, updateBrandBody } from '../../events/resources/brand.ts'
import { createCampaignBody } from '../../events/resources/campaign.ts'
import { createPollBody, option } from '../../events/resources/poll.ts'
import { EMPTY_WINDOW, isEmptyWindow } from '../../events/resources/window.ts'
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

export const FIRST_TIME = Date.parse('0000-01-01T00:00:00Z')
export const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z')

const time = z
  .int()
  .refine(
    (value) => value >= FIRST_TIME && value <= LAST_TIME,
    'Must be milliseconds since 1970, in the years 0 to 9999.',
  )

/** A day is more than clocks differ. */
const past = z
  .int()
  .refine((value) => value >= 0 && value <= Date.now() + DAY, 'Must be milliseconds since 1970, and not in the future.')

const key = z.int().positive()
const whole = z.int().nonnegative()
const flag = z.literal([0, 1])
const uuid = z
  .string()
  .refine((value) => isUuid(value) && value === value.toLowerCase(), 'Must be a UUID in lower case.')
const fileKey = z.string().refine(isFileKey, 'Must be the name of a picture.')
const device = z.custom<Uint8Array>(
  (value) => value instanceof Uint8Array && value.length === 16,
  'Must be 16 bytes in hexadecimal.',
)

const ofBrand = updateBrandBody.shape
const ofPoll = createPollBody.shape
const ofCampaign = createCampaignBody.in.shape
const alt = option.shape.imageAlt.unwrap().unwrap().nullable()

const hasWindow = {
  path: ['closes_at'],
  error: EMPTY_WINDOW.message,
}
const isWindow = ({ opens_at, closes_at }: { opens_at: number | null; closes_at: number | null }): boolean =>
  !isEmptyWindow({ opensAt: opens_at, closesAt: closes_at })

const file = z
  .strictObject({
    key: fileKey,
    brand_key: key,
    slot: z.enum([...POLL_SLOTS, ...ASSET_SLOTS, 'composed']),
    content_type: z.string(),
    byte_size: whole,
    width: whole,
    height: whole,
    created_at: past,
    expires_at: time.nullable(),
    removed_at: z.null(),
    variants_due_at: time.nullable(),
    variants_tried: whole,
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

/** The tables of a brand, and webhooks. A column with a default may be missing: earlier schemas did not have it. */
export const rowSchemas = {
  brands: z.strictObject({
    key,
    id: uuid,
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
    theme: z.string(),
    theme_version: whole,
    created_at: past,
    updated_at: past,
    deleted_at: z.null().optional(),
    is_emptied: z.literal(0).optional(),
  }),
  theme_styles: z
    .strictObject({
      brand_key: key,
      from_version: whole,
      until_version: whole.nullable(),
      source: z.string(),
      css: z.string(),
      created_at: past,
      retired_at: past.nullable(),
    })
    .refine(({ from_version, until_version }) => until_version === null || from_version < until_version, {
      path: ['until_version'],
      error: 'Must be after from_version.',
    }),
  files: file,
  polls: z
    .strictObject({
      key,
      id: uuid,
      short_id: z
        .string()
        .refine(isShortId, 'Must have 12 characters of A-Z, a-z, 0-9, - and _, with a capital letter.'),
      // Earlier versions accepted reserved words, and hyphens at the ends.
      slug: z.string().regex(/^[a-z0-9-]{1,128}$/, 'Must have 1 to 128 lower-case letters, digits and hyphens.'),
      brand_key: key,
      title: ofPoll.title,
      title_folded: z.string(),
      label_a: option.shape.label,
      label_b: option.shape.label,
      image_a: fileKey.nullable(),
      image_b: fileKey.nullable(),
      image_combined: fileKey.nullable(),
      image_composed: fileKey.nullable(),
      alt_a: alt,
      alt_b: alt,
      is_draft: flag,
      is_private: flag,
      results_visibility: ofPoll.resultsVisibility.unwrap(),
      challenge: ofPoll.challenge,
      opens_at: time.nullable(),
      closes_at: time.nullable(),
      popularity: whole,
      created_at: past,
      updated_at: past,
      revised_at: past.nullable(),
      archived_at: past.nullable(),
      deleted_at: z.null(),
      campaign_count: whole,
      announced_status: z.enum(STATUSES).nullable(),
      announce_at: time.nullable(),
      is_emptied: z.literal(0),
      vote_total: whole.optional(),
      title_sort: z.string().optional(),
    })
    .refine(isWindow, hasWindow),
  poll_tags: z.strictObject({ poll_key: key, tag: nameText(1, 40), place: z.int().min(0).max(19) }),
  categories: z.strictObject({
    key,
    id: uuid,
    slug: z.string().refine(isCategorySlug, 'Must have 1 to 63 characters of a-z, 0-9 and hyphens.'),
    name: nameText(1, 80),
    created_at: past,
  }),
  poll_categories: z.strictObject({ poll_key: key, category_key: key, place: z.int().min(0).max(19) }),
  campaigns: z
    .strictObject({
      key,
      id: uuid,
      brand_key: key,
      title: ofCampaign.title.unwrap(),
      title_folded: z.string(),
      description: ofCampaign.description.unwrap().unwrap().nullable(),
      state: ofCampaign.state.unwrap(),
      is_public: flag,
      opens_at: time.nullable(),
      closes_at: time.nullable(),
      created_at: past,
      updated_at: past,
      deleted_at: z.null(),
      funnel_completed: whole.optional(),
    })
    .refine(isWindow, hasWindow),
  campaign_polls: z.strictObject({
    campaign_key: key,
    poll_key: key,
    place: whole.nullable(),
    walked_to: whole,
    walk_end: whole,
    funnel_to: whole.nullable().optional(),
    funnel_respondents: whole.optional(),
  }),
  tallies: z.strictObject({ poll_key: key, option_a: whole, option_b: whole, version: whole, updated_at: past }),
  votes: z.strictObject({ poll_key: key, position: key, device, option: z.enum(['A', 'B']), voted_at: past }),
  vote_counts: z.strictObject({
    poll_key: key,
    width: z.literal([MINUTE, HOUR]),
    at: past,
    option_a: whole,
    option_b: whole,
  }),
  campaign_respondents: z.strictObject({ key, campaign_key: key, device, started_at: past }),
  forgotten_devices: z.strictObject({ device, forgotten_at: past }),
  webhooks: z.looseObject({ url: z.string().regex(/^https?:\/\//, 'Must be an http or https URL.') }),
} as const
