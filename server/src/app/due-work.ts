import { type RawBuilder, sql } from 'kysely'
import { MINUTE, SECOND } from '../base/clock.ts'
import type { Job } from '../base/work/jobs.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/store.ts'
import type { Deps } from '../features/deps.ts'
import { DELIVERIES_KEPT_FOR, QUEUES } from '../features/webhooks/sending/queue.ts'
import { EXPIRING } from './expiry.ts'

/** The deliveries are no job: they have a loop of their own. */
export const DELIVERIES = 'deliveries'

/** The first row that expires, by the index that `removeExpired` reads. */
const firstEnd = (table: string): RawBuilder<unknown> =>
  sql`select expires_at from ${sql.table(table)} where expires_at is not null order by expires_at limit 1`

/** Each reads when work of a job is due, or 0 if it is due at once, from the first entry of an index. */
const LOOKS: Readonly<Record<string, readonly RawBuilder<unknown>[]>> = {
  'changed counts': [sql`select 0 from tally_notices where is_due = 1 limit 1`],
  respondents: [sql`select 0 from campaign_polls where walked_to < walk_end limit 1`],
  'deleted campaigns': [sql`select 0 from campaigns where deleted_at is not null limit 1`],
  'logs of polls': [
    sql`select 0 from polls where vote_total > logged_votes and is_draft = 0 and deleted_at is null limit 1`,
  ],
  'opening and closing': [
    sql`select announce_at from polls where announce_at is not null order by announce_at limit 1`,
  ],
  expiry: EXPIRING.map(firstEnd),
  'deleted brands': [sql`select 0 from brands where deleted_at is not null and is_emptied = 0 limit 1`],
  'deleted votes': [sql`select 0 from polls where deleted_at is not null and is_emptied = 0 limit 1`],
  'webhook orphans': [sql`select 0 from deleted_webhooks limit 1`],
  'silent listeners': [
    sql`select listening_until from listeners order by listening_until limit 1`,
    sql`select 0 from listener_events where listener_key not in (select key from listeners) limit 1`,
  ],
  'old deliveries': [
    sql`select created_at + ${sql.lit(DELIVERIES_KEPT_FOR)} from webhook_deliveries order by key limit 1`,
  ],
  pictures: [
    sql`select variants_due_at from files where variants_due_at is not null and removed_at is null
      order by variants_due_at limit 1`,
  ],
  files: [
    sql`select expires_at from files where expires_at is not null and removed_at is null order by expires_at limit 1`,
    sql`select 0 from files where removed_at is not null limit 1`,
  ],
  'upload tickets': [firstEnd('upload_tickets')],
  [DELIVERIES]: [
    sql`select 0 from outbox limit 1`,
    sql`with recursive ${QUEUES} select min((select min(next_attempt_at) from webhook_deliveries
        where webhook_deliveries.webhook_key = queues.webhook_key and next_attempt_at is not null)) from queues`,
  ],
}

const isLookedFor = (name: string): boolean => name in LOOKS

const looks = Object.entries(LOOKS).flatMap(([name, each]) => each.map((look) => ({ name, look })))

/** When each job has its next work, by one statement for all of them. Jobs without any are left out. */
export async function dueWork(db: Db): Promise<Map<string, number>> {
  const columns = looks.map(({ look }, i) => sql`cast((${look}) as bigint) as ${sql.ref(`due_${i}`)}`)
  const { rows } = await sql<Record<string, number | null>>`select ${sql.join(columns)} ${prepared}`.execute(db)
  const found = new Map<string, number>()
  for (const [i, { name }] of looks.entries()) {
    const at = rows[0]?.[`due_${i}`] ?? null
    if (at !== null) found.set(name, Math.min(at, found.get(name) ?? at))
  }
  return found
}

/** Finds work of which no notice came. A job runs also if nothing was found for it, in case of a mistake. */
const LOOK_MS = 3 * SECOND
const REST_MS = 5 * MINUTE

/** These jobs, and one that wakes those of them that have work. Others rest until then. */
export function withLook(
  deps: Pick<Deps, 'changes' | 'engine'>,
  jobs: readonly Job[],
  wake: (name: string) => void,
): Job[] {
  const unknown = Object.keys(LOOKS).find((name) => name !== DELIVERIES && !jobs.some((job) => job.name === name))
  if (unknown) throw new Error(`no job is called ${unknown}`)
  const look = 'due work'
  const lookSoon = () => wake(look)
  deps.changes.subscribe({
    pollChanged: lookSoon,
    brandChanged: lookSoon,
    webhooksChanged: lookSoon,
    workAdded: lookSoon,
    campaignChanged: lookSoon,
  })
  const urgent = new Set([DELIVERIES, ...jobs.filter(({ everyMs }) => everyMs <= SECOND).map(({ name }) => name)])
  const run = async (now: number) => {
    let isUrgent = false
    const found = await dueWork(deps.engine.db).catch((error) => {
      // One table that is locked must not keep all jobs waiting.
      for (const name of Object.keys(LOOKS)) wake(name)
      throw error
    })
    for (const [name, at] of found) {
      if (at > now + LOOK_MS) continue
      // Due deliveries may be of a webhook that was deleted while an event came.
      if (name === DELIVERIES) wake('webhook orphans')
      setTimeout(() => wake(name), Math.max(0, at - now)).unref()
      isUrgent ||= at <= now && urgent.has(name)
    }
    // Some are not done by one run: a webhook that another server delivers to, a picture that another one makes.
    return isUrgent
  }
  const resting = jobs.map((job) => (isLookedFor(job.name) ? { ...job, restMs: job.restMs ?? REST_MS } : job))
  return [...resting, { name: look, everyMs: SECOND / 2, restMs: LOOK_MS, run }]
}
