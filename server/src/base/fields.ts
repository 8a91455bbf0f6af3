import { z } from 'zod'

/** Characters as a person counts them, which is also how JSON Schema counts: code points. */
const lengthOf = (text: string): number => [...text].length

export function text(least: number, most: number) {
  return z
    .string()
    .refine((value) => lengthOf(value) >= least && value.trim() !== '', {
      error: `At least ${least} ${least === 1 ? 'character' : 'characters'}, not only spaces.`,
      params: { code: 'too_short' },
      abort: true,
    })
    .refine((value) => lengthOf(value) <= most, {
      error: `At most ${most} characters.`,
      params: { code: 'too_long' },
    })
    .meta({ minLength: least, maxLength: most })
}

const ZERO_WIDTH = '[\\u00ad\\u180e\\u200b-\\u200f\\u2060-\\u2064\\ufeff]'
const ZERO_WIDTH_END = new RegExp(`^\\s*${ZERO_WIDTH}|${ZERO_WIDTH}\\s*$`)

/** What something is called. A character that nobody sees at an end would make two names look like one. */
export const nameText = (least: number, most: number) =>
  text(least, most).refine((value) => !ZERO_WIDTH_END.test(value), {
    error: 'No zero-width character at the beginning or the end.',
    params: { code: 'zero_width_end' },
  })

const INSTANT = { error: 'An ISO 8601 date and time with an offset, as 2026-01-31T12:00:00Z.' }
const FIRST_INSTANT = Date.parse('0000-01-01T00:00:00Z')
const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z')

/** An instant with its offset, in and out of our milliseconds. In UTC too its year must have four digits. */
export const instant = z.iso
  .datetime({ ...INSTANT, offset: true })
  .refine((value) => Date.parse(value) >= FIRST_INSTANT && Date.parse(value) <= LAST_INSTANT, {
    ...INSTANT,
    params: { code: 'invalid_format' },
  })
  .transform((value) => Date.parse(value))

/** Any UUID, whoever made it: one that leads nowhere is told apart later. */
export const idOf = (what: string) => z.guid({ error: `The id of a ${what}, which is a UUID.` })

export const timestamp = z.string().meta({ format: 'date-time' })
export const uuid = z.string().meta({ format: 'uuid' })
export const url = z.string().meta({ format: 'uri' })

const same = (value: unknown): unknown => value

interface ListRules<Value> {
  readonly least?: number
  readonly most: number
  /** What two equal values have in common. */
  readonly sameBy?: (value: Value) => unknown
}

/** A list in which no value is given twice. */
export function uniqueList<Item extends z.ZodType>(item: Item, rules: ListRules<z.output<Item>>) {
  const { least = 0, most, sameBy = same } = rules
  return z
    .array(item)
    .min(least)
    .max(most)
    .refine((values) => new Set(values.map(sameBy)).size === values.length, {
      error: 'No value may be given twice.',
      params: { code: 'repeated' },
    })
    .meta({ uniqueItems: true })
}

export const STATUSES = ['open', 'closed', 'scheduled'] as const
export const status = z.enum(STATUSES).meta({
  description: 'By the clock: `scheduled` before `opensAt`, `closed` from `closesAt` on, else `open`.',
})

export const optionName = z.enum(['A', 'B'])

export const count = z.int().nonnegative()

export const respondentId = z.string().meta({
  description: 'Names the device for this brand alone. Nobody can get the device id from it.',
  examples: ['q83vEjRWeJq83vEjRWeJq83vEjRWeJq83vEjRWeJq80'],
})
