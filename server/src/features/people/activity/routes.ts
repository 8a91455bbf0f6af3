// features/people/activity: the list of who changed what.
// Entries are written by `recordActivity` of bus/, in the transaction of the change.

import { z } from 'zod'
import { iso } from '../../../base/clock.ts'
import type { Action } from '../../../events/action-catalogue.ts'
import type { ActivityActor, ActivitySubject } from '../../../events/activity.ts'
import type { Export } from '../../../http/answers/export.ts'
import { type Route, route } from '../../../http/route.ts'
import type { Deps } from '../../deps.ts'
import { brandScope } from '../tokens/guards.ts'
import { type ActivityRow, activityPage, allActivity } from './queries.ts'
import { type ActivityEntry, activityEntry, activityQuery } from './schema.ts'

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
] as const

export const activityRoutes = (deps: Deps): Route[] => [
  route({
    method: 'GET',
    path: '/brands/me/activity',
    name: 'listActivity',
    tag: 'Activity',
    summary: 'Who changed what, newest first',
    description:
      'One entry for each write of the brand that took effect, by a member, an app or the operator: none for a refused or repeated request. Entries are kept 400 days. With `Accept: text/csv` or `application/x-ndjson` the answer is one file with all entries that match, without `limit` and `cursor`; a brand can download four files at a time.',
    guard: brandScope(deps, 'manage'),
    caching: 'private',
    query: activityQuery,
    isPaged: true,
    answers: { 200: { description: 'A page of entries, or a file with all of them.', schema: z.array(activityEntry) } },
    async handle({ identity: { brandKey }, query, paging }) {
      const { rows, next } = await activityPage(deps.engine.db, { brandKey, filters: query, paging })
      return { data: rows.map(presentEntry), next }
    },
    exportAll: ({ identity: { brandKey }, query }): Export<ActivityEntry> => ({
      filename: 'activity',
      columns: COLUMNS,
      cellsOf: ({ id, at, actor, action, subject }) => [
        [
          { id },
          at,
          actor.kind,
          { id: actor.id },
          actor.name ?? '',
          action,
          subject.kind,
          { id: subject.id },
          subject.title,
        ],
      ],
      pages: pagesOf(allActivity(deps.engine.db, { brandKey, filters: query })),
    }),
  }),
]

const presentEntry = (row: ActivityRow): ActivityEntry => ({
  id: row.id,
  at: iso(row.at),
  actor: { kind: row.actor_kind as ActivityActor['kind'], id: row.actor_id, name: row.actor_name },
  action: row.action as Action,
  subject: { kind: row.subject_kind as ActivitySubject['kind'], id: row.subject_id, title: row.subject_title },
})

async function* pagesOf(parts: AsyncIterable<ActivityRow[]>) {
  for await (const rows of parts) yield rows.map(presentEntry)
}
