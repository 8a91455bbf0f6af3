import { PlainFailure, reasonOf } from '../../base/errors.ts'
import type { Config } from '../../config/config.ts'
import { type Finding, fault, ok, warning } from './finding.ts'

const PART = 'SMTP'
const WITHIN_MS = 5_000

/** Connects, starts TLS where the server offers it, and signs in. No mail is sent. */
export async function examineMail({ smtpUrl }: Pick<Config, 'smtpUrl'>, withinMs = WITHIN_MS): Promise<Finding[]> {
  if (smtpUrl === null) return []
  const { host, port } = new URL(smtpUrl)
  try {
    const { isEncrypted, isSignedIn } = await signIn(smtpUrl, withinMs)
    const found = `${host} ${isSignedIn ? 'takes the user and the password' : 'answers, and SMTP_URL has no user'}`
    if (isEncrypted) return [ok(PART, `${found}, encrypted`)]
    const advice = 'Use a port with STARTTLS (587), or smtps:// (465), unless the network in between is yours.'
    return [warning(PART, `${found}, not encrypted`, advice)]
  } catch (error) {
    return [fault(PART, `${host}: ${reasonOf(error)}`, adviceFor(error, port))]
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
