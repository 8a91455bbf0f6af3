import type { z } from 'zod'
import { eventEntries } from '../src/events/event-catalogue.ts'
import { markdownTable } from './made-text.ts'

/** A nested object with more fields than this is a resource, and is shown by its name. */
const FEW = 3

export const eventTable = (): string =>
  markdownTable(
    ['type', 'when', '`data`'],
    eventEntries.map(([type, { when, data }]) => [`\`${type}\``, when, `\`${shapeOf(data)}\``]),
  )

const shapeOf = ({ shape }: z.ZodObject): string =>
  `{${Object.entries(shape)
    .map(([name, field]) => (isSmall(field) ? `${name}: ${shapeOf(field)}` : name))
    .join(', ')}}`

const isSmall = (field: unknown): field is z.ZodObject =>
  typeof field === 'object' && field !== null && 'shape' in field && Object.keys(field.shape ?? {}).length <= FEW
