import { PlainFailure } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { ADVISED_OPEN_FILES, isLowLimit, openFileLimit } from '../base/machine.ts'
import { type Config, isLocalUrl } from '../config/config.ts'
import { openSecret } from '../db/secret-file.ts'
import { keepAddress } from '../db/service-row.ts'
import type { Deps } from '../features/deps.ts'
import { FINDINGS } from '../features/operator/findings.ts'

export function warnOfLowLimit({ streams }: Config, log: Log): void {
  const limit = openFileLimit()
  if (limit === null || !isLowLimit(limit, streams)) return
  log.warn(
    { limit, streams },
    `at most ${limit} files and connections can be open, and STREAMS is ${streams}. Raise the limit: \`ulimit -n ${ADVISED_OPEN_FILES}\`, or \`LimitNOFILE=${ADVISED_OPEN_FILES}\` in the unit of systemd.`,
  )
}

/** Tells the operator what people who sign in will run into. */
export function tellOfSignIn(config: Config, log: Log): void {
  if (FINDINGS.not_encrypted.isFound(config)) {
    log.warn('PUBLIC_URL is not encrypted: others on the way can read links, cookies and tokens. Set it to https://…')
  }
  if (config.smtpUrl === null) {
    log.info('no sign-in links are mailed without SMTP_URL: `tossup member link --email` prints one')
  }
}

/** For a trial on this machine the log has a line instead. */
export function refuseOpenSecret({ database, secretKeys, publicUrl }: Config, log: Log): void {
  const found = database.engine === 'sqlite' && secretKeys.length === 0 ? openSecret(database.dataDir) : null
  if (!found) return
  const said = `Other users of this machine can read ${found.path} (mode ${found.mode}). Run \`tossup doctor --fix\` or \`chmod 600 ${found.path}\`; where files have no modes, set SECRET_KEY instead.`
  if (!isLocalUrl(publicUrl)) throw new PlainFailure(said)
  log.warn(said)
}

/** For commands that run without PUBLIC_URL. A full disk must not stop a start. */
export async function storeAddress({ engine, config, log }: Pick<Deps, 'engine' | 'config' | 'log'>, url: string) {
  const storing = keepAddress(engine, config.hasPublicUrl ? config.publicUrl : url)
  await storing.catch((err) => log.warn({ err }, 'the address of the server was not stored: commands need PUBLIC_URL'))
}

const DAMAGED =
  'the database is damaged: nothing is written any more. Stop the server, keep the files, and put a backup in their place.'

/** Logs the events of the database of a server. */
export const tellOfDatabase = (log: Log) => ({
  onLostConnection: (err: Error) => log.warn({ err }, 'a database connection was lost'),
  onDamaged: (err: Error) => log.fatal({ err }, DAMAGED),
})
