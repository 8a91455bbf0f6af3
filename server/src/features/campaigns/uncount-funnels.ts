import type { Tx } from '../../db/store.ts'

/** Resets the counts of the funnels, which are then counted again from the votes. Call it while these campaigns are held. */
export async function uncountFunnels(tx: Tx, campaignKeys: readonly number[]): Promise<void> {
  await tx
    .updateTable('campaign_polls')
    .set({ funnel_to: null, funnel_respondents: 0 })
    .where('campaign_key', 'in', campaignKeys)
    .execute()
  await tx.updateTable('campaigns').set({ funnel_completed: 0 }).where('key', 'in', campaignKeys).execute()
}
