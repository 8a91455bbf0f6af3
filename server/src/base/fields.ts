import { z } from 'zod'

/** Length in code points: how people count characters, and how JSON Schema does. */
const lengthOf = (text: string): number => [...text].length

/** The length is that of the trimmed text. */
const sized = (least: number, most: number) =>
  z
    .string()
    .trim()
    .refine((value) => lengthOf(value) >= least, {
      error: `Must have at least ${least} ${least === 1 ? 'character' : 'characters'}, not only spaces.`,
      params: { code: 'too_short' },
      abort: true,
    })
    .refine((value) => lengthOf(value) <= most, {
      error: `Must have at most ${most} characters.`,
      params: { code: 'too_long' },
    })
    .meta({ minLength: least, maxLength: most })

/** Overrides reorder what follows them, also outside of the text; control characters reach terminals and logs. */
const OF_NO_LINE = /[\p{Cc}\u2028\u2029\u202d\u202e]/u
const OF_NO_TEXT = /(?![\t\n\r])[\p{Cc}\u202d\u202e]/u

/** A text of several lines, without the characters that no text of a brand may hold. */
export const text = (least: number, most: number) =>
  sized(least, most).refine((value) => !OF_NO_TEXT.test(value), {
    error: 'Must have no control characters except line breaks and tabs, and no bidirectional overrides.',
    params: { code: 'forbidden_character' },
  })

const ZERO_WIDTH = '[\\u00ad\\u180e\\u200b-\\u200f\\u2060-\\u2064\\ufeff]'
const ZERO_WIDTH_END = new RegExp(`^\\s*${ZERO_WIDTH}|${ZERO_WIDTH}\\s*$`)

/** The rule of every field of one line. An invisible character at either end would make two names look the same. */
export const nameText = (least: number, most: number) =>
  sized(least, most)
    .refine((value) => !OF_NO_LINE.test(value), {
      error: 'Must be one line without control characters and bidirectional overrides.',
      params: { code: 'forbidden_character' },
    })
    .refine((value) => !ZERO_WIDTH_END.test(value), {
      error: 'Must not begin or end with a zero-width character.',
      params: { code: 'zero_width_end' },
    })

/** The trimmed name, or null if it breaks the rule of names. For names that come in another way than the interface. */
export const nameOrNull = (given: string): string | null => nameText(1, 80).safeParse(given).data ?? null

/** A boolean in a query. */
export const flagParam = z
  .string()
  .refine((value) => value === 'true' || value === 'false', {
    error: 'Must be true or false.',
    params: { code: 'invalid_value' },
  })
  .transform((value) => value === 'true')
  .meta({ type: 'boolean' })

const INSTANT = { error: 'Must be an ISO 8601 date and time with an offset, such as 2026-01-31T12:00:00Z.' }
const FIRST_INSTANT = Date.parse('0000-01-01T00:00:00Z')
const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z')

/** Converts between an ISO 8601 instant with an offset and milliseconds. The year in UTC must have four digits, too. */
export const instant = z.iso
  .datetime({ ...INSTANT, offset: true })
  .refine((value) => Date.parse(value) >= FIRST_INSTANT && Date.parse(value) <= LAST_INSTANT, {
    ...INSTANT,
    params: { code: 'invalid_format' },
  })
  .transform((value) => Date.parse(value))

/** Any UUID of any version. Whether it refers to something is checked later. */
export const idOf = (what: string) => z.guid({ error: `Must be the id of a ${what}, a UUID.` })

/** A short text of one form, as in a path or a query. */
export const textLike = (pattern: RegExp, description: string, example: string) =>
  z
    .string()
    .regex(pattern)
    .meta({ description, examples: [example] })

export const timestamp = z.string().meta({ format: 'date-time' })
export const uuid = z.string().meta({ format: 'uuid' })
export const url = z.string().meta({ format: 'uri' })

/** An absent field keeps its value; null is a value. */
export const kept = <T>(wanted: T | undefined, current: T): T => (wanted === undefined ? current : wanted)

const same = (value: unknown): unknown => value

interface ListRules<Value> {
  readonly least?: number
  readonly most: number
  /** Maps equal values to the same result. */
  readonly sameBy?: (value: Value) => unknown
}

/** A list without repeated values. */
export function uniqueList<Item extends z.ZodType>(item: Item, rules: ListRules<z.output<Item>>) {
  const { least = 0, most, sameBy = same } = rules
  return z
    .array(item)
    .min(least)
    .max(most)
    .refine((values) => new Set(values.map(sameBy)).size === values.length, {
      error: 'Must not repeat a value.',
      params: { code: 'repeated' },
    })
    .meta({ uniqueItems: true })
}

export const STATUSES = ['open', 'closed', 'scheduled'] as const
export const status = z.enum(STATUSES).meta({
  description: '`scheduled` before `opensAt`, `closed` from `closesAt` on, otherwise `open`.',
})

export const optionName = z.enum(['A', 'B'])

export const count = z.int().nonnegative()

export const respondentId = z.string().meta({
  description: 'An id of the device for this brand only. The device id cannot be derived from it.',
  examples: ['r_q83vEjRWeJq83vEjRWeJq83vEjRWeJq83vEjRWeJq80'],
})
