import { connectPatiently } from './patient-client.ts'
import { CONNECT_MS } from './transaction-settings.ts'
import { compareServers } from './wal-position.ts'

/** How many bytes the standby is behind the primary. Throws if it cannot be read from, as soon as a server would give up. */
export async function bytesBehindNow({ url, readUrl }: { url: string; readUrl: string }): Promise<number> {
  const primary = await connectPatiently(url, { connectMs: CONNECT_MS })
  try {
    const standby = await connectPatiently(readUrl, { wanted: 'standby', connectMs: CONNECT_MS })
    try {
      return await compareServers(primary, standby)
    } finally {
      await standby.end()
    }
  } finally {
    await primary.end()
  }
}
