// features/people/activity: the list of who changed what.
// Entries are written by `recordActivity` of bus/, in the transaction of the change.
import { sql } from 'kysely'
import { z } from 'zod'
import { DAY, iso } from '../../../base/clock.ts'
import { timestamp, uuid } from '../../../base/fields.ts'
import { isUuid } from '../../../base/ids.ts'
import { keysetSlice, type Slice } from '../../../db/keyset.ts'
import { removeOld } from '../../../db/remove-old.ts'
import type { Db, Engine } from '../../../db/store.ts'
import {
  ACTION_NAMES,
  ACTOR_KINDS,
  type Action,
  type ActivityActor,
  type ActivitySubject,
  SUBJECT_KINDS,
} from '../../../events/activity.ts'
import { type Export, exportQuery } from '../../../http/answers/export.ts'
import type { Paging } from '../../../http/paging.ts'
import { type Route, route } from '../../../http/route.ts'
import type { Deps } from '../../deps.ts'
import { brandScope } from '../tokens/guards.ts'

const KEPT_FOR = 400 * DAY

export const removeOldActivity = (engine: Engine, now: number): Promise<boolean> =>
  removeOld(engine, { table: 'activity', time: 'at' }, now - KEPT_FOR)

type ActivityRow = Awaited<ReturnType<typeof activityPage>>['rows'][number]

type Filters = z.infer<typeof activityQuery>

/** A page of a brand's activity, newest first. */
function activityPage(db: Db, brandKey: number, { actor, action, subject }: Filters, paging: Paging) {
  let rows = db.selectFrom('activity').selectAll().where('brand_key', '=', brandKey)
  if (actor !== undefined) rows = rows.where(isUuid(actor) ? 'actor_id' : 'actor_kind', '=', actor)
  if (action !== undefined) rows = rows.where('action', '=', action)
  if (subject !== undefined) rows = rows.where(isUuid(subject) ? 'subject_id' : 'subject_kind', '=', subject)
  return keysetSlice(db, rows, { sort: sql<number>`at`, key: sql<number>`key`, direction: 'desc', ...paging })
}

const PART = 500

/** Every entry of the start, in the same order: later entries come before the first. */
async function* allActivity(db: Db, brandKey: number, filters: Filters): AsyncGenerator<ActivityEntry[]> {
  let after: Paging['after'] = null
  do {
    const page: Slice<ActivityRow> = await activityPage(db, brandKey, filters, { limit: PART, after })
    after = page.next
    yield page.rows.map(presentEntry)
  } while (after)
}

const action = z.enum(ACTION_NAMES)
const SUBJECT_ID = '0b9f7a52-6f0c-4c43-9d0e-3f1f0a8d7c11'

/** Compared with stored ids, which are in lower case. */
const idOrKind = (kinds: readonly string[]) =>
  z
    .string()
    .toLowerCase()
    .refine((value) => isUuid(value) || kinds.includes(value), {
      error: `Must be an id, a UUID, or one of ${kinds.join(', ')}.`,
      params: { code: 'invalid_format' },
    })
    .optional()

const activityQuery = exportQuery.extend({
  actor: idOrKind(ACTOR_KINDS).meta({
    description: 'Only actions of this member, app or agent, by its id, or of actors of this kind.',
    examples: ['operator'],
  }),
  action: action.optional().describe('Only this action.'),
  subject: idOrKind(SUBJECT_KINDS).meta({
    description: 'Only actions on the resource with this id, or on resources of this kind.',
    examples: [SUBJECT_ID],
  }),
})

const actor = z
  .object({
    kind: z.enum(ACTOR_KINDS).meta({
      description:
        '`member`: a person; `app`: a program with an API key; `agent`: a program that a person allowed to act for them; `operator`: a command on the server.',
      examples: ['app'],
    }),
    id: z.string().meta({
      description: 'The id of the member, app or agent; `operator` for the operator.',
      examples: [SUBJECT_ID],
    }),
    name: z
      .string()
      .nullable()
      .meta({
        description: 'Its name at that time; null for the operator and for an app without a name.',
        examples: ['Website'],
      }),
    person: z
      .object({
        id: z.string().meta({ description: 'The id of the member.', examples: [SUBJECT_ID] }),
        name: z.string().meta({ description: 'The name or address at that time.', examples: ['Ada'] }),
      })
      .optional()
      .describe('Only with an agent: the person for whom it acted.'),
  })
  .meta({ id: 'Actor', description: 'The person, app or operator that made the change.' })

const subject = z
  .object({
    kind: z.enum(SUBJECT_KINDS).meta({ description: 'The kind of the resource.', examples: ['poll'] }),
    id: z.string().meta({ description: 'The id of the resource.', examples: [SUBJECT_ID] }),
    title: z.string().meta({
      description: 'Its title or name at that time; for a webhook the host of its URL.',
      examples: ['Tea or coffee?'],
    }),
  })
  .meta({ id: 'Subject', description: 'The resource that was changed. It may have been deleted since.' })

const activityEntry = z
  .object({
    id: uuid.describe('The permanent id of the entry.'),
    at: timestamp.describe('When it happened.'),
    actor: actor.describe('Who acted.'),
    action: action.meta({ description: 'What happened.', examples: ['poll.updated'] }),
    subject: subject.describe('What was changed.'),
  })
  .meta({ id: 'ActivityEntry', description: 'One change of a brand or of its resources.' })

export type ActivityEntry = z.infer<typeof activityEntry>

const COLUMNS = [
  'id',
  'at',
  'actorKind',
  'actorId',
  'actorName',
  'action',
  'subjectKind',
  'subjectId',
  'subjectTitle',
  'personId',
  'personName',
] as const

export const activityRoutes = (deps: Deps): Route[] => [
  route({
    method: 'GET',
    path: '/brands/me/activity',
    name: 'listActivity',
    tag: 'Activity',
    summary: 'Who changed what, newest first',
    description:
      'One entry for each write of the brand that took effect, by a member, an app, an agent or the operator: none for a refused or repeated request. Calls of agents that change nothing are listed too. Entries are kept 400 days. With `Accept: text/csv` or `application/x-ndjson` the answer is one file with all entries that match, without `limit` and `cursor`; a brand can download four files at a time.',
    guard: brandScope(deps, 'manage'),
    caching: 'private',
    query: activityQuery,
    isPaged: true,
    answers: { 200: { description: 'A page of entries, or a file with all of them.', schema: z.array(activityEntry) } },
    async handle({ identity: { brandKey }, query, paging }) {
      const { rows, next } = await activityPage(deps.engine.db, brandKey, query, paging)
      return { data: rows.map(presentEntry), next }
    },
    exportAll: ({ identity: { brandKey }, query }): Export<ActivityEntry> => ({
      filename: 'activity',
      bom: query.bom,
      columns: COLUMNS,
      cellsOf: ({ id, at, actor, action, subject }) => [
        [
          ...[id, at, actor.kind, actor.id, actor.name ?? '', action, subject.kind, subject.id, subject.title],
          ...[actor.person?.id ?? '', actor.person?.name ?? ''],
        ],
      ],
      pages: allActivity(deps.engine.db, brandKey, query),
    }),
  }),
]

const presentEntry = (row: ActivityRow): ActivityEntry => ({
  id: row.id,
  at: iso(row.at),
  actor: {
    kind: row.actor_kind as ActivityActor['kind'],
    id: row.actor_id,
    name: row.actor_name,
    ...(row.person_id === null ? {} : { person: { id: row.person_id, name: row.person_name ?? '' } }),
  },
  action: row.action as Action,
  subject: { kind: row.subject_kind as ActivitySubject['kind'], id: row.subject_id, title: row.subject_title },
})
