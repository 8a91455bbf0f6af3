import type { Log } from '../base/log.ts'
import { ADVISED_OPEN_FILES, isLowLimit, openFileLimit } from '../base/machine.ts'
import { type Config, localUrl } from '../config/config.ts'

export function warnOfLowLimit({ streams }: Config, log: Log): void {
  const limit = openFileLimit()
  if (limit === null || !isLowLimit(limit, streams)) return
  log.warn(
    { limit, streams },
    `at most ${limit} files and connections can be open, and STREAMS is ${streams}. Raise the limit: \`ulimit -n ${ADVISED_OPEN_FILES}\`, or \`LimitNOFILE=${ADVISED_OPEN_FILES}\` in the unit of systemd.`,
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

/** Logs the events of the database of a server. */
export const tellOfDatabase = (config: Config, log: Log) => ({
  onLostConnection: (err: Error) => log.warn({ err }, 'a database connection was lost'),
  onDamaged: (err: Error) => log.fatal({ err }, DAMAGED),
  onCopyTrouble: (err: Error) => log.warn({ err }, err.message),
  onOtherServer: warnOnceOfOtherServer(config, log),
})
