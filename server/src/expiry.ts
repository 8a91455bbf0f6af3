import type { Engine } from './db/store.ts'

/** What has run out is refused wherever it is presented; this only gives back the room. */
export async function removeExpired({ db }: Engine, now: number): Promise<void> {
  await db.deleteFrom('idempotency_keys').where('expires_at', '<=', now).execute()
  await db.deleteFrom('access_tokens').where('expires_at', '<=', now).execute()
  await db.deleteFrom('token_families').where('expires_at', '<=', now).execute()
}
