// Marked in one transaction, removed in many short ones: votes on other brands do not wait.
import type { Tx } from '../../db/store.ts'
import type { WriteDeps } from '../deps.ts'
import { dismissMembers } from '../people/members.ts'
import { deleteWebhook, ownedWebhooks } from '../webhooks/webhooks.ts'

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
export async function endBrand(deps: WriteDeps, tx: Tx, brandKey: number): Promise<void> {
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
