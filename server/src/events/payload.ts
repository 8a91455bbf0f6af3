import { iso } from '../base/clock.ts'
import type { EventType } from './event-catalogue.ts'

/** "Under 20 kB", under either definition of a kilobyte. */
const FEWER_BYTES_THAN = 20_000

type Members = Record<string, unknown>

interface Occurrence {
  readonly type: EventType
  readonly at: number
  readonly data: object
}

/**
 * The body that is delivered and signed. If it would be too large, its largest members are left out and listed in
 * `data.omitted`; receivers can read them from the resource.
 */
export function payloadOf({ type, at, data }: Occurrence): string {
  const omitted: string[] = []
  let kept = data as Members
  for (;;) {
    const said = omitted.length === 0 ? kept : { ...kept, omitted }
    const payload = JSON.stringify({ type, timestamp: iso(at), data: said })
    if (Buffer.byteLength(payload) < FEWER_BYTES_THAN) return payload
    const [resource, member] = largestMember(kept)
    const { [member]: _, ...rest } = kept[resource] as Members
    kept = { ...kept, [resource]: rest }
    omitted.push(`${resource}.${member}`)
  }
}

function largestMember(data: Members): [resource: string, member: string] {
  const members = Object.entries(data).flatMap(([resource, value]) =>
    isObject(value)
      ? Object.entries(value).map(([name, inner]) => ({ resource, name, size: JSON.stringify(inner)?.length ?? 0 }))
      : [],
  )
  const [first, ...others] = members
  if (!first) throw new Error('the payload of an event is too large even without its largest members')
  const { resource, name } = others.reduce((largest, each) => (each.size > largest.size ? each : largest), first)
  return [resource, name]
}

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
