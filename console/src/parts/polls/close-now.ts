import { etagOf, type OwnedPoll, type Tossup } from '../../../../sdk/src/index.ts'

/** Closes a poll also where the clock of this browser is ahead of the service's: then at the time of the service's answer. */
export async function closeNow(tossup: Tossup, id: string, ifMatch?: string): Promise<OwnedPoll> {
  const changed = await tossup.updatePoll(id, { closesAt: new Date().toISOString() }, { ifMatch })
  if (changed.status !== 'open') return changed
  return tossup.updatePoll(id, { closesAt: changed.updatedAt }, { ifMatch: etagOf(changed) })
}
