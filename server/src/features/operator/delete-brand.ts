import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { MINUTE } from '../../base/clock.ts'
import { inBatches } from '../../base/work/jobs.ts'
import { deleteSome } from '../../db/delete-some.ts'
import type { Tx } from '../../db/store.ts'
import { transaction } from '../../db/transaction.ts'
import { buryCampaign } from '../campaigns/delete-campaign.ts'
import type { WriteDeps } from '../deps.ts'
import { dismissMembers } from '../people/members.ts'
import { buryPolls } from '../polls/delete-poll.ts'
import { deleteWebhook, ownedWebhooks } from '../webhooks/webhooks.ts'

// Marked in one transaction, removed in many short ones: votes on other brands do not wait.

/**
 * From its commit on the brand is unknown to visitors, and its keys, tokens, members and webhooks are dead. Its row stays as a
 * tombstone, so that nobody takes over its links. `removeFromBrand` removes the rest.
 */
export async function deleteBrand(deps: WriteDeps, tx: Tx, brandKey: number): Promise<void> {
  await tx
    .updateTable('brands')
    // By the clock that all servers share: one of them decides by it when no request can be under way any more.
    .set({ deleted_at: await deps.engine.votingTime(tx) })
    .where('key', '=', brandKey)
    .where('deleted_at', 'is', null)
    .execute()
  await endBrand(deps, tx, brandKey)
  await deps.changes.brand(tx, brandKey)
}

/** Runs again later for rows written by a request that was in flight when the brand was deleted. */
async function endBrand(deps: WriteDeps, tx: Tx, brandKey: number): Promise<void> {
  await tx
    .updateTable('brands')
    .set({
      name: '',
      display_name: null,
      description: null,
      avatar_url: null,
      location_city: null,
      location_state: null,
      theme: '{}',
      updated_at: deps.clock.now(),
    })
    .where('key', '=', brandKey)
    .execute()
  await tx
    .updateTable('apps')
    .set({ revoked_at: deps.clock.now(), earlier_secret_hash: null, earlier_secret_until: null })
    .where('brand_key', '=', brandKey)
    .where('revoked_at', 'is', null)
    .execute()
  // The names that people gave to apps, revoked ones included.
  await tx.updateTable('apps').set({ name: null }).where('brand_key', '=', brandKey).execute()
  await dismissMembers(tx, brandKey)
  for (const { id } of await ownedWebhooks(tx, brandKey).orderBy('key').execute())
    await deleteWebhook(deps, tx, { brandKey, id })
  for (const table of ['theme_styles', 'source_names', 'listeners', 'upload_tickets'] as const)
    await tx.deleteFrom(table).where('brand_key', '=', brandKey).execute()
  await deps.changes.webhooks(tx, brandKey)
}

const SHORTEST_REST_MS = 20

/**
 * Rests after a batch that left more for as long as the batch took: while it runs, SQLite takes no votes, of any brand and from
 * any process.
 */
export async function paced(batch: () => Promise<boolean>): Promise<boolean> {
  const began = performance.now()
  const isMore = await batch()
  if (isMore) await pause(Math.max(SHORTEST_REST_MS, performance.now() - began))
  return isMore
}

/** Polls are locked while they are buried: few at once, so that votes on them do not wait long. */
const POLLS = 50
const ROWS = 1_000

const ofBrand = (brandKey: number) => ({ where: sql<boolean>`brand_key = ${brandKey}`, most: ROWS })

type Remover = (deps: WriteDeps, tx: Tx, brandKey: number) => Promise<number>

/** Campaigns first: nobody has to find out who stays when their polls go. */
const REMOVERS: readonly Remover[] = [
  removeCampaign,
  removePolls,
  removeCodeLists,
  expireFiles,
  (_deps, tx, brandKey) => deleteSome(tx, 'activity', { keys: ['at', 'key'], ...ofBrand(brandKey) }),
  (_deps, tx, brandKey) => deleteSome(tx, 'event_feed', { keys: ['key'], ...ofBrand(brandKey) }),
  (_deps, tx, brandKey) => deleteSome(tx, 'idempotency_keys', { keys: ['key'], ...ofBrand(brandKey) }),
]

/** Removes some of what a deleted brand has left, in one short transaction, and rests. False when nothing is left. */
export const removeFromBrand = (deps: WriteDeps, brandKey: number): Promise<boolean> =>
  paced(() =>
    transaction(deps.engine, async (tx) => {
      if (!(await holdDeletedBrand(tx, brandKey))) return false
      for (const remove of REMOVERS) if ((await remove(deps, tx, brandKey)) > 0) return true
      return false
    }),
  )

/** A server and a command would choose the same rows. */
async function holdDeletedBrand(tx: Tx, brandKey: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('brands')
    .set(({ ref }) => ({ updated_at: ref('updated_at') }))
    .where('key', '=', brandKey)
    .where('deleted_at', 'is not', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

async function removeCampaign(deps: WriteDeps, tx: Tx, brandKey: number): Promise<number> {
  const campaign = await tx
    .updateTable('campaigns')
    .set(({ ref }) => ({ updated_at: ref('updated_at') }))
    .where('key', 'in', ({ selectFrom }) =>
      selectFrom('campaigns').select('key').where('brand_key', '=', brandKey).where('deleted_at', 'is', null).limit(1),
    )
    .returning('key')
    .executeTakeFirst()
  if (!campaign) return 0
  await buryCampaign(deps, tx, campaign.key)
  return 1
}

async function removePolls(deps: WriteDeps, tx: Tx, brandKey: number): Promise<number> {
  const rows = await tx
    .selectFrom('polls')
    .select('key')
    .where('brand_key', '=', brandKey)
    .where('deleted_at', 'is', null)
    .limit(POLLS)
    .execute()
  const keys = rows.map(({ key }) => key)
  if (keys.length === 0) return 0
  await deps.engine.lockPollsWithVotes(tx, keys)
  await buryPolls(deps, tx, { keys, brandKey, now: deps.clock.now() })
  return keys.length
}

/** After the polls, so that no poll names them. The worker removes their codes. */
async function removeCodeLists({ clock }: WriteDeps, tx: Tx, brandKey: number): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('code_lists')
    .set({ name: '', name_folded: '', deleted_at: clock.now() })
    .where('brand_key', '=', brandKey)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** The worker removes files that have expired and that nothing shows, from the file store too. */
async function expireFiles({ clock }: WriteDeps, tx: Tx, brandKey: number): Promise<number> {
  const now = clock.now()
  const { numUpdatedRows } = await tx
    .updateTable('files')
    .set({ expires_at: now })
    .where('key', 'in', ({ selectFrom }) =>
      selectFrom('files')
        .select('key')
        .where('brand_key', '=', brandKey)
        .where(sql<boolean>`removed_at is null`)
        .where(({ or, eb }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
        .limit(ROWS),
    )
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

const BRANDS = 20
/** Longer than any request: what it adds to a brand that was deleted meanwhile is removed too. */
const LATEST = 2 * MINUTE

/** Goes on where the command that deleted a brand ended or was killed. The counts go last: votes are subtracted from them. */
export async function removeDeletedBrands(deps: WriteDeps): Promise<boolean> {
  const deleted = await deps.engine.db
    .selectFrom('brands')
    .select(['key', 'deleted_at'])
    .where(sql<boolean>`deleted_at is not null and is_emptied = 0`)
    .orderBy('key')
    .limit(BRANDS)
    .execute()
  if (deleted.length === 0) return false
  const now = await deps.engine.votingTime(deps.engine.db)
  return inBatches(async () => {
    const brand = deleted.at(-1)
    if (!brand) return false
    if (await removeFromBrand(deps, brand.key)) return true
    const isOld = (brand.deleted_at ?? now) <= now - LATEST
    if (!isOld || !(await paced(() => finish(deps, brand.key)))) deleted.pop()
    return deleted.length > 0
  })
}

/** False when it has to wait for votes that are still being removed, or all is done. */
const finish = (deps: WriteDeps, brandKey: number): Promise<boolean> =>
  transaction(deps.engine, async (tx) => {
    if (!(await holdDeletedBrand(tx, brandKey))) return false
    await endBrand(deps, tx, brandKey)
    const withVotes = await tx
      .selectFrom('polls')
      .select('key')
      .where(sql<boolean>`deleted_at is not null and is_emptied = 0`)
      .where('brand_key', '=', brandKey)
      .limit(1)
      .executeTakeFirst()
    if (withVotes) return false
    const counts = await deleteSome(tx, 'brand_vote_counts', {
      keys: ['width', 'at'],
      ...ofBrand(brandKey),
    })
    if (counts > 0) return true
    await tx.updateTable('brands').set({ is_emptied: 1 }).where('key', '=', brandKey).execute()
    return false
  })
