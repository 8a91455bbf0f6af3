import { z } from 'zod'
import { DAY, HOUR } from '../../base/clock.ts'
import { invalidPaging } from '../../base/errors.ts'
import { textLike, timestamp, uuid } from '../../base/fields.ts'
import type { Position } from '../../db/keyset.ts'
import { removeOld } from '../../db/remove-old.ts'
import type { Db, Engine } from '../../db/store.ts'
import { type EventType, FED_TYPES } from '../../events/event-catalogue.ts'
import type { Paging } from '../../http/paging.ts'
import { type Route, route } from '../../http/route.ts'
import type { Deps } from '../deps.ts'
import { brandScope } from '../people/tokens/guards.ts'

const SHOWN_FOR = 30 * DAY
/** Longer than they are shown: the clocks of two servers may differ, and no event may go before its cursor expires. */
const KEPT_FOR = SHOWN_FOR + HOUR

const ONE = FED_TYPES.map((type) => type.replace('.', '\\.')).join('|')

const eventsQuery = z.object({
  types: textLike(
    new RegExp(`^(${ONE})(,(${ONE})){0,${FED_TYPES.length - 1}}$`),
    `Only events of these types, separated by commas: ${FED_TYPES.join(', ')}.`,
    'poll.closed,poll.milestone',
  )
    .transform((types) => types.split(',').sort().join(','))
    .optional(),
})

const fedEvent = z
  .object({
    id: uuid.describe('The id of the event: the header `webhook-id` of its deliveries.'),
    type: z.enum(FED_TYPES).meta({ description: 'The type of the event.', examples: ['poll.deleted'] }),
    timestamp: timestamp.describe('When it happened.'),
    data: z.record(z.string(), z.unknown()).meta({
      description: 'The `data` that a webhook receives for this type.',
      examples: [{ poll: { id: '0b9f7a52-6f0c-4c43-9d0e-3f1f0a8d7c11', slug: 'tea-or-coffee' } }],
    }),
  })
  .meta({ id: 'FedEvent', description: 'An event of a brand.' })

export const eventFeedRoutes = (deps: Deps): Route[] => [
  route({
    method: 'GET',
    path: '/brands/me/events',
    name: 'listEvents',
    tag: 'Webhooks',
    summary: 'The events of the last 30 days, oldest first',
    description:
      'The events that webhooks receive, without `poll.voted`, `poll.tallies_updated` and those that name a respondent; no webhook is needed. To follow them, store `nextCursor`, which is there on the last page too, and ask with it again later: no event is skipped and none comes twice. A cursor whose next event may be older than 30 days is 400 with `expired`: begin again without a cursor.',
    guard: brandScope(deps, 'manage'),
    caching: 'private',
    query: eventsQuery,
    isPaged: true,
    answers: { 200: { description: 'A page of events.', schema: z.array(fedEvent) } },
    async handle({ identity: { brandKey }, query, paging, now }) {
      const types = query.types?.split(',') as EventType[] | undefined
      const { rows, ...end } = await eventsPage(deps.engine.db, { brandKey, types, now }, paging)
      return { data: rows.map(({ id, payload }) => ({ id, ...(JSON.parse(payload) as object) })), ...end }
    },
  }),
]

/** A cursor holds the key of the last row that was read, and from when on the rows after it are needed. */
async function eventsPage(
  db: Db,
  { brandKey, types, now }: { brandKey: number; types: readonly EventType[] | undefined; now: number },
  { limit, after }: Paging,
) {
  const [neededSince, lastRead] = after ?? [now, 0]
  const oldest = now - SHOWN_FOR
  if (Number(neededSince) <= oldest) throw expired()
  let query = db
    .selectFrom('event_feed')
    .select(['key', 'id', 'payload', 'published_at'])
    .where('brand_key', '=', brandKey)
    .where('key', '>', lastRead)
    .where('published_at', '>', oldest)
  if (types) query = query.where('type', 'in', types)
  const found = await query
    .orderBy('key')
    .limit(limit + 1)
    .execute()
  const rows = found.slice(0, limit)
  const following = found[limit]
  const next: Position = [following?.published_at ?? now, rows.at(-1)?.key ?? lastRead]
  return { rows, next, isAtEnd: following === undefined }
}

const expired = () =>
  invalidPaging({
    path: 'cursor',
    code: 'expired',
    message: 'Must be younger than 30 days: events after this one may be gone. Begin without a cursor.',
  })

export const removeOldEvents = (engine: Engine, now: number): Promise<boolean> =>
  removeOld(engine, { table: 'event_feed', time: 'published_at' }, now - KEPT_FOR)
