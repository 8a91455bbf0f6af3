import { z } from 'zod'
import type { ErrorEntry } from '../src/base/error-catalogue/entry.ts'
import { type ErrorCode, errorEntries } from '../src/base/errors.ts'
import { markdownTable } from './made-text.ts'

type Entry = readonly [code: ErrorCode, entry: ErrorEntry]

const inOrder = (): Entry[] => errorEntries.toSorted(([, left], [, right]) => left.status - right.status)

const anchor = (code: string): string => `[\`${code}\`](#${code.toLowerCase()})`

/** The error codes of each status. */
export function errorTable(): string {
  const byStatus = Map.groupBy(inOrder(), ([, { status }]) => status)
  const rows = [...byStatus].map(([status, entries]) => [
    String(status),
    entries.map(([code]) => anchor(code)).join(' · '),
  ])
  return markdownTable(['status', 'codes'], rows)
}

/** Every code with its remedy and its details. */
export const errorSections = (): string => inOrder().map(sectionOf).join('\n\n')

function sectionOf([code, { status, when, remedy, headers = [], details }]: Entry): string {
  const carried = headers.map((name) => `\`${name}\``).join(', ')
  const lines = [`### ${code}`, `**Status ${status}.** ${when}`, `**What to do:** ${remedy}`]
  if (carried) lines.push(`**Headers:** ${carried}.`)
  const fields = fieldsOf(details)
  if (fields.length > 0) lines.push('**Details:**', fields.join('\n'))
  return lines.join('\n\n')
}

interface Schema {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, Schema>>
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly description?: string
}

/** A list of the fields, each followed by its nested fields. */
function fieldsOf(details: z.ZodType): string[] {
  const { $defs = {}, ...root } = z.toJSONSchema(details) as Schema

  function linesOf(schema: Schema, path: string): string[] {
    const { properties = {}, items } = { ...$defs[schema.$ref?.split('/').at(-1) ?? ''], ...schema }
    if (items) return linesOf(items, `${path}[]`)
    return Object.entries(properties).flatMap(([name, field]) => {
      const fieldPath = path === '' ? name : `${path}.${name}`
      return [`- \`${fieldPath}\`: ${field.description}`, ...linesOf(field, fieldPath)]
    })
  }
  return linesOf(root, '')
}
