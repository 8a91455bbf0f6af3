import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type { Replica } from './replica.ts'

const READS = /^(\/\*.*?\*\/)?\s*(select|with)\b/

/** For statements that read: each is sent to the replica alone, and to the primary where that does not answer it. */
export function replicaFirst(replica: Replica, primary: PostgresPool): PostgresPool {
  const query = async (text: string, values: readonly unknown[]) => {
    if (!READS.test(text)) throw new Error(`this is not a read: ${text.slice(0, 50)}`)
    const answer = await replica.read({ text, values })
    if (answer) return answer
    const client = await primary.connect()
    try {
      return await client.query(text, values)
    } finally {
      client.release()
    }
  }
  // Kysely's type also allows cursors, which are not used here.
  const client = { query: query as unknown as PostgresPoolClient['query'], release: () => undefined }
  return { options: primary.options, end: () => replica.close(), connect: async () => ({ ...client }) }
}
