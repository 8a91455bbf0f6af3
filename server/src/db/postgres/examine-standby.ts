import { connectPatiently } from './patient-client.ts'
import { compareServers } from './wal-position.ts'

/** How many bytes the standby is behind the primary. Throws if it cannot be read from. */
export async function bytesBehindNow({ url, readUrl }: { url: string; readUrl: string }): Promise<number> {
  const primary = await connectPatiently(url)
  try {
    const standby = await connectPatiently(readUrl, 'standby')
    try {
      return await compareServers(primary, standby)
    } finally {
      await standby.end()
    }
  } finally {
    await primary.end()
  }
}
