import type { Engine } from '../../../db/store.ts'
import { transaction } from '../../../db/transaction.ts'
import { markForgotten } from './forgotten.ts'

/** The votes stay counted, but are no longer attributed to the device. */
export const forgetGuest = (engine: Engine, device: Uint8Array): Promise<void> =>
  transaction(engine, async (tx) => {
    await tx.deleteFrom('campaign_respondents').where('device', '=', device).execute()
    // Read the time last: a vote whose respondent row was just removed is then itself forgotten.
    await markForgotten(tx, [device], await engine.votingTime(tx))
  })
