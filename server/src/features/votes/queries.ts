import type { Db } from '../../db/store.ts'

export const findVote = (db: Db, pollKey: number, device: Uint8Array) =>
  db
    .selectFrom('votes')
    .select(['option', 'voted_at'])
    .where('poll_key', '=', pollKey)
    .where('device', '=', device)
    .executeTakeFirst()
