import { ConnectionWatch } from './base/descriptors/connection-watch.ts'
import { ADVISED_DESCRIPTORS, type DescriptorShares, sharesOf } from './base/descriptors/descriptor-limit.ts'
import { openSockets } from './base/descriptors/sockets.ts'
import type { Log } from './base/log.ts'
import type { ProcessRole } from './base/process-role.ts'
import { type Config, localUrl } from './config.ts'
import type { Engine } from './db/store.ts'
import { isProxy } from './http/network.ts'

export const withinShares = (config: Config, { streams }: DescriptorShares): Config => ({
  ...config,
  streams: Math.min(config.streams, streams),
})

export function warnOfLimit(
  limit: number,
  { wanted, config, log }: { wanted: Config; config: Config; log: Log },
): void {
  if (config.streams === wanted.streams) return
  log.warn(
    { limit, streams: config.streams },
    `at most ${limit} files and connections can be open, so STREAMS is ${config.streams}. Raise the limit: \`ulimit -n ${ADVISED_DESCRIPTORS}\`, or \`LimitNOFILE=${ADVISED_DESCRIPTORS}\` in the unit of systemd.`,
  )
}

/** Two servers without these settings answer with different limits, or with addresses of one of them. */
function warnOnceOfOtherServer({ host, port, publicUrl, redisUrl }: Config, log: Log): () => void {
  const missing = [
    ...(redisUrl === null ? ['REDIS_URL, or each server counts rate limits for itself'] : []),
    ...(publicUrl === localUrl(host, port) ? ['PUBLIC_URL, or links lead to one of the servers'] : []),
  ]
  let hasWarned = missing.length === 0
  return () => {
    if (hasWarned) return
    hasWarned = true
    log.warn(`another server uses this database. Set on each of them ${missing.join('; and ')}.`)
  }
}

const DAMAGED =
  'the database is damaged: nothing is written any more. Stop the server, keep the files, and put a backup in their place.'
const TORN =
  'the end of the log of the last run is lost. After a power failure these are writes that were never acknowledged; otherwise the disk has damaged acknowledged votes: check it.'

/** What the log says of a database that a server uses. */
export const tellOfDatabase = (config: Config, log: Log) => ({
  onLostConnection: (err: Error) => log.warn({ err }, 'a database connection was lost'),
  onDamaged: (err: Error) => log.fatal({ err }, DAMAGED),
  onTornLog: (err: Error) => log.error({ err }, TORN),
  onCopyTrouble: (err: Error) => log.warn({ err }, err.message),
  onOtherServer: warnOnceOfOtherServer(config, log),
})

interface Listening {
  readonly config: Config
  readonly log: Log
  readonly limit: number | null
  readonly port: number | undefined
}

/** Null where the system does not tell enough about its connections. */
export function watchConnections({ config, log, limit, port }: Listening): ConnectionWatch | null {
  const sockets = openSockets()
  if (!sockets || limit === null || port === undefined) return null
  const isShared = (peer: string) => isProxy(peer, config.trustedProxies)
  return new ConnectionWatch({ sockets, port, limit, shares: sharesOf(limit), isShared, log })
}

interface ForVotes {
  readonly engine: Engine
  readonly log: Log
  readonly role: ProcessRole
}

/** Opens the connection of the votes before requests and jobs take what PostgreSQL has room for. */
export async function connectForVotes({ engine, log, role }: ForVotes): Promise<void> {
  if (engine.isAlone || role === 'worker') return
  await engine.votes.probe().catch((err) => log.warn({ err }, 'no vote can be stored at the start'))
}
