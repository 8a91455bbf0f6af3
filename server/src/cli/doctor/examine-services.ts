import { join } from 'node:path'
import { openBackupFolder, timeOfBackup } from '../../backup/backup-places.ts'
import { isOverdue } from '../../backup/scheduled-backups.ts'
import { iso } from '../../base/clock.ts'
import { PlainFailure, reasonOf } from '../../base/errors.ts'
import { createLog } from '../../base/log.ts'
import { type Config, localUrl, version } from '../../config/config.ts'
import { FINDINGS } from '../../features/operator/findings.ts'
import type { ServiceState } from '../../features/operator/service-state.ts'
import { openUnfinished } from '../../files/file-store.ts'
import { openS3 } from '../../files/s3.ts'
import { MemoryLimiter } from '../../http/limits/memory-limiter.ts'
import { RedisLimiter } from '../../http/limits/redis-limiter.ts'
import { type Finding, fault, listed, ok, warning } from './finding.ts'

const ANSWER_MS = 5_000

/** Connects, starts TLS where the server offers it, and signs in. No mail is sent. */
export async function examineMail({ smtpUrl }: Pick<Config, 'smtpUrl'>, withinMs = ANSWER_MS): Promise<Finding[]> {
  if (smtpUrl === null) return []
  const { host, port } = new URL(smtpUrl)
  try {
    const { isEncrypted, isSignedIn } = await signIn(smtpUrl, withinMs)
    const found = `${host} ${isSignedIn ? 'takes the user and the password' : 'answers, and SMTP_URL has no user'}`
    if (isEncrypted) return [ok('SMTP', `${found}, encrypted`)]
    const advice = 'Use a port with STARTTLS (587), or smtps:// (465), unless the network in between is yours.'
    return [warning('SMTP', `${found}, not encrypted`, advice)]
  } catch (error) {
    return [fault('SMTP', `${host}: ${reasonOf(error)}`, adviceFor(error, port))]
  }
}

function adviceFor(error: unknown, port: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : null
  if (code === 'EAUTH') return 'Correct the user and the password in SMTP_URL; write @ as %40 in either.'
  if (code === 'ETLS' || code === 'ESOCKET') {
    return `Check the certificate of the server, and the port ${port || '587'}: smtps:// is encrypted from the start, smtp:// begins with STARTTLS.`
  }
  return 'Correct the host and the port in SMTP_URL, or start the mail server. Invitations and sign-in links cannot be sent.'
}

async function signIn(smtpUrl: string, withinMs: number): Promise<{ isEncrypted: boolean; isSignedIn: boolean }> {
  const [{ default: Connection }, { parseConnectionUrl }] = await Promise.all([
    import('nodemailer/lib/smtp-connection'),
    import('nodemailer/lib/shared'),
  ])
  const options = parseConnectionUrl(smtpUrl)
  const timeouts = { connectionTimeout: withinMs, greetingTimeout: withinMs, socketTimeout: withinMs }
  const connection = new Connection({ ...options, ...timeouts, dnsTimeout: withinMs, socketCloseTimeout: 0 })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // A server that sends a byte now and then would pass every timeout of inactivity.
  const late = setTimeout(() => reject(new PlainFailure(`it took longer than ${withinMs / 1_000} s`)), withinMs)
  const step = (next: () => void) => (error?: Error | null) => (error ? reject(error) : next())
  connection.on('error', reject)
  connection.on('end', () => reject(new PlainFailure('the server ended the connection')))
  const { auth } = options
  connection.connect(step(() => (auth ? connection.login(auth, step(resolve)) : resolve())))
  try {
    await promise
    return { isEncrypted: connection.secure, isSignedIn: Boolean(auth) }
  } finally {
    clearTimeout(late)
    connection.close()
  }
}

export async function examineBackups({ backupPlace, backupEvery }: Config): Promise<Finding[]> {
  if (backupPlace === null) {
    return [listed('backups', 'backups_off')]
  }
  try {
    const names = await openBackupFolder(backupPlace).list()
    const newest = names.at(-1)
    if (newest === undefined) return [warning('backups', 'there is none in BACKUP_URL yet', 'Run `tossup backup`.')]
    const newestAt = timeOfBackup(newest)
    return isOverdue(newestAt, backupEvery, Date.now())
      ? [listed('backups', 'backup_overdue', { values: { when: iso(newestAt) } })]
      : [ok('backups', `${names.length}, the newest of ${iso(newestAt)}`)]
  } catch (error) {
    return [fault('backups', reasonOf(error), 'Correct BACKUP_URL.')]
  }
}

export async function examineBucket({ s3, dataDir }: Config): Promise<Finding[]> {
  if (!s3) return []
  try {
    await openS3(s3, openUnfinished(join(dataDir, 'uploads'), { isShared: true }))
    return [ok('S3', `a file was written, read and removed in ${s3.bucket}`)]
  } catch (error) {
    return [fault('S3', reasonOf(error), 'Check the address, the bucket and the permissions of the key.')]
  }
}

export async function examineRedis({ redisUrl }: Config): Promise<Finding[]> {
  if (redisUrl === null) return []
  const redis = new RedisLimiter({ url: redisUrl, log: createLog('silent'), fallback: new MemoryLimiter() })
  try {
    await redis.connect()
    return [ok('Redis', 'answers')]
  } catch (error) {
    return [
      fault('Redis', reasonOf(error), 'Start Redis or correct REDIS_URL: without it each server limits on its own.'),
    ]
  } finally {
    redis.close()
  }
}

/** Requests PUBLIC_URL like a browser: by its name, through the proxies, with their certificate. */
export async function examinePublicUrl({ publicUrl }: Config): Promise<Finding[]> {
  const part = 'PUBLIC_URL'
  const transport = FINDINGS.not_encrypted.isFound({ publicUrl }) ? [listed(part, 'not_encrypted')] : []
  try {
    const answer = await fetch(`${publicUrl}/readyz`, { redirect: 'manual', signal: AbortSignal.timeout(ANSWER_MS) })
    const text = await answer.text()
    if (answer.status === 503 && text.includes('UNAVAILABLE')) {
      return [...transport, listed(part, 'votes_refused', { example: publicUrl })]
    }
    if (answer.status !== 200 || !text.includes('"status"')) {
      const found = `${publicUrl}/readyz answered ${answer.status}, which is not an answer of Tossup`
      return [...transport, fault(part, found, 'Check where the name points and what the proxy forwards.')]
    }
    return [...transport, ok(part, `${publicUrl} leads to a server that takes votes`)]
  } catch (error) {
    const advice = 'Start the server, or correct PUBLIC_URL, DNS, the proxy or its certificate.'
    return [...transport, fault(part, `${publicUrl} cannot be reached: ${reasonOf(error)}`, advice)]
  }
}

/** Facts that only the running server knows. */
type ServerStatus = { readonly version: string } & Pick<ServiceState, 'untrustedProxy' | 'openFiles'>

export async function examineServer({ host, metricsPort }: Config): Promise<Finding[]> {
  const part = 'server'
  if (metricsPort === null) {
    return [ok('proxies', 'unknown: set METRICS_PORT, and the running server says whether it trusts its proxies')]
  }
  try {
    const answer = await fetch(`${localUrl(host, metricsPort)}/status`, { signal: AbortSignal.timeout(ANSWER_MS) })
    const status = (await answer.json()) as ServerStatus
    return [
      status.version === version
        ? ok(part, `runs version ${status.version}`)
        : warning(
            part,
            `runs version ${status.version}, and this is ${version}`,
            'Restart the server after an upgrade.',
          ),
      proxiesOf(status),
      openFilesOf(status),
    ]
  } catch (error) {
    return [warning(part, `METRICS_PORT ${metricsPort} does not answer: ${reasonOf(error)}`, 'Start the server.')]
  }
}

function proxiesOf({ untrustedProxy }: ServerStatus): Finding {
  return FINDINGS.untrusted_proxy.isFound({ untrustedProxy })
    ? listed('proxies', 'untrusted_proxy', { values: { setting: untrustedProxy ?? '' } })
    : ok('proxies', 'no untrusted proxy was seen')
}

function openFilesOf({ openFiles }: ServerStatus): Finding {
  const part = 'open files of the server'
  const { open, limit } = openFiles
  if (limit === null || open === null) return ok(part, 'this system does not tell')
  return FINDINGS.open_files.isFound({ openFiles })
    ? listed(part, 'open_files', { values: { open, limit } })
    : ok(part, `${open} of ${limit}`)
}
