import type pg from 'pg'
import { connectPatiently } from './primary.ts'

interface FoundPooler {
  /** Each transaction may have another session, as behind PgBouncer in transaction mode. */
  readonly isShared: boolean
  /** Prepared statements can be executed again in a later transaction. */
  readonly isPreparing: boolean
}

const PREPARED = { name: 'tossup-doctor', text: 'select pg_backend_pid() as pid' }
/** SQLSTATEs of a statement that its session does not know, or knows already. */
const NOT_PREPARED = /^(26000|42P05)$/
/** Another client may get the session of the first connection. */
const TRIES = 5

/** Lets a second connection hold the session in which the first one has prepared its statement. */
export async function lookForPooler(url: string): Promise<FoundPooler> {
  const [one, two] = await Promise.all([connectPatiently(url), connectPatiently(url)])
  try {
    let isShared = false
    for (let tried = 0; tried < TRIES && !isShared; tried++) {
      const pid = await pidOf(one, PREPARED)
      await two.query('begin')
      isShared = (await pidOf(two, PREPARED.text)) === pid
      await pidOf(one, PREPARED)
      await two.query('commit')
    }
    return { isShared, isPreparing: true }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && NOT_PREPARED.test(String(error.code)))) throw error
    return { isShared: true, isPreparing: false }
  } finally {
    await Promise.all([one.end(), two.end()])
  }
}

async function pidOf(client: pg.Client, query: string | typeof PREPARED): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>(query as string)
  return rows[0]?.pid
}
