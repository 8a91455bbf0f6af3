import pino from 'pino'
import { Repeats, type Warning } from './work/repeats.ts'

export type Log = pino.Logger

/** Field names under which a secret could be logged by accident. Their values are never printed. */
const SECRET_NAMES = [
  'authorization',
  'accessToken',
  'refreshToken',
  'token',
  'secret',
  'apiKeySecret',
  'x-api-key-secret',
  'x-device-id',
  'externalDeviceId',
  'device',
  'cursor',
  'password',
  'cookie',
  'SMTP_URL',
  'OIDC_CLIENT_SECRET',
  'SECRET_KEY',
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'REDIS_URL',
  'S3_URL',
  'BACKUP_URL',
  'secretAccessKey',
]

const redactedPaths = SECRET_NAMES.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`])

const WARN = 40

/** Bytes of lines that wait while nothing can be written, on a full disk for example. Later lines are dropped. */
const MOST_WAITING = 1_048_576

/** A log that cannot be written costs lines, never an answer: there is nowhere left to report its error to. */
export function logDestination(fd: number): pino.DestinationStream {
  const destination = pino.destination({ dest: fd, sync: true, maxLength: MOST_WAITING })
  destination.on('error', () => undefined)
  return destination
}

/** Warnings and errors of one cause are one line a second, with a count. `flush` writes the counts that are pending. */
export function createLog(level: string, destination: pino.DestinationStream = pino.destination(1)): Log {
  const repeats = new Repeats()
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: redactedPaths, censor: '[redacted]' },
    serializers: { err: describeError },
    hooks: {
      logMethod(args, method, number) {
        const [fields, message] = (typeof args[0] === 'string' ? [{}, args[0]] : args) as [object, string?]
        const isWritten =
          number < WARN ||
          repeats.isAmongFirst(warningOf(fields, message), (repeated) => {
            method.call(this, { ...fields, requestId: undefined, traceId: undefined, ...repeated }, message)
          })
        if (isWritten) method.apply(this, args)
      },
    },
  }
  return pino(options, {
    write: (line) => destination.write(line),
    flush(done?: () => void) {
      repeats.flush()
      done?.()
    },
  } as pino.DestinationStream)
}

/** String fields identify a cause. Numbers and the ids of a request do not, or each line would be a cause of its own. */
function warningOf(fields: object, message = ''): Warning {
  const { err, requestId, traceId: _, ...rest } = fields as { err?: unknown; requestId?: string; traceId?: string }
  const names = Object.values(rest).filter((value) => typeof value === 'string')
  return { message, detail: [identityOf(err), ...names].join('\n'), requestId }
}

function identityOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return `${error.name} ${'code' in error ? error.code : ''} ${error.message}`
}

/** A database error has further fields with rows and parameters. Only these four are safe to print. */
function describeError(error: unknown) {
  if (!(error instanceof Error)) return { message: String(error) }
  const code = 'code' in error ? String(error.code) : undefined
  return { name: error.name, code, message: error.message, stack: error.stack }
}
