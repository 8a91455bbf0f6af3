import { randomUUID } from 'node:crypto'
import { type BackupFolder, openBackupFolder, timeOfBackup } from '../../backup/backup-places.ts'
import { isOverdue } from '../../backup/scheduled-backups.ts'
import { iso } from '../../base/clock.ts'
import { errorCodeOf, PlainFailure, reasonOf } from '../../base/errors.ts'
import type { Config } from '../../config/config.ts'
import { FINDINGS } from '../../features/operator/findings.ts'
import { type Finding, listed, ok, problem, type RemedyCode } from './remedies.ts'

const ANSWER_MS = 5_000

/** Connects, starts TLS where the server offers it, and signs in. No mail is sent. */
export async function examineMail({ smtpUrl }: Pick<Config, 'smtpUrl'>, withinMs = ANSWER_MS): Promise<Finding[]> {
  if (smtpUrl === null) return []
  const { host, port } = new URL(smtpUrl)
  try {
    const { isEncrypted, isSignedIn } = await signIn(smtpUrl, withinMs)
    const found = `${host} ${isSignedIn ? 'takes the user and the password' : 'answers, and SMTP_URL has no user'}`
    if (isEncrypted) return [ok('SMTP', `${found}, encrypted`)]
    return [problem('mail_open', `${found}, not encrypted`)]
  } catch (error) {
    return [problem(codeOfMail(error), `${host}: ${reasonOf(error)}`, { port: port || '587' })]
  }
}

function codeOfMail(error: unknown): RemedyCode {
  const code = errorCodeOf(error)
  if (code === 'EAUTH') return 'mail_login'
  return code === 'ETLS' || code === 'ESOCKET' ? 'mail_encryption' : 'mail_away'
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
    const folder = openBackupFolder(backupPlace)
    const names = await folder.list()
    await tryToWrite(folder)
    const newest = names.at(-1)
    if (newest === undefined) return [problem('backups_none', 'there is none in BACKUP_URL yet')]
    const newestAt = timeOfBackup(newest)
    return isOverdue(newestAt, backupEvery, Date.now())
      ? [listed('backups', 'backup_overdue', { values: { when: iso(newestAt) } })]
      : [ok('backups', `${names.length}, the newest of ${iso(newestAt)}`)]
  } catch (error) {
    return [problem('backups_unwritable', reasonOf(error))]
  }
}

/** A name that is no backup's. */
async function tryToWrite(folder: BackupFolder): Promise<void> {
  const name = `tossup-doctor-${randomUUID()}`
  const sink = folder.open(name)
  try {
    await sink.write(new TextEncoder().encode('a doctor tries whether backups can be written'))
    await sink.finish()
  } catch (error) {
    await sink.abandon()
    throw error
  }
  await folder.remove(name)
}

/** Requests PUBLIC_URL like a browser: by its name, through the proxies, with their certificate. */
export async function examinePublicUrl(publicUrl: string, instance: string | null): Promise<Finding[]> {
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
      return [...transport, problem('address_foreign', found)]
    }
    const [, other] = /"instance":"([^"]+)"/.exec(text) ?? []
    if (other !== undefined && instance !== null && other !== instance)
      return [...transport, problem('address_other', `${publicUrl} leads to a Tossup with another database`)]
    return [...transport, ok(part, `${publicUrl} leads to a server that takes votes`)]
  } catch (error) {
    return [...transport, problem('address_away', `${publicUrl} cannot be reached: ${reasonOf(error)}`)]
  }
}
