import type { Config } from '../../config/config.ts'
import type { Snapshot } from '../polls/snapshots/snapshot.ts'

/** Browsers name the page that sends a request. Other callers send no Origin, and a list of origins does not concern them. */
export const mayVoteFrom = (
  origin: string | null,
  { embedOrigins }: Pick<Snapshot, 'embedOrigins'>,
  { publicUrl }: Pick<Config, 'publicUrl'>,
): boolean => origin === null || embedOrigins.length === 0 || origin === publicUrl || embedOrigins.includes(origin)
