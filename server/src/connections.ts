import { ConnectionWatch } from './base/descriptors/connection-watch.ts'
import { ADVISED_DESCRIPTORS, type DescriptorShares, sharesOf } from './base/descriptors/descriptor-limit.ts'
import { openSockets } from './base/descriptors/sockets.ts'
import type { Log } from './base/log.ts'
import type { Config } from './config.ts'
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
