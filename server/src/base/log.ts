import pino from 'pino'
import { Repeats, type Warning } from './repeats.ts'

export type Log = pino.Logger

/** Names under which a secret could ever be logged by accident; their values are never printed. */
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
  'SECRET_KEY',
  'DATABASE_URL',
  'REDIS_URL',
  'S3_URL',
  'secretAccessKey',
]

const redactedPaths = SECRET_NAMES.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`])

const WARN = 40

/** Warnings and errors of one cause are one line a second, with a count. `flush` writes the counts that are still held. */
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
          repeats.isFirst(warningOf(fields, message), (repeated) => {
            method.call(this, { ...fields, requestId: undefined, ...repeated }, message)
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

/** Names in a line belong to its cause; numbers and the request do not, or each line would be a cause of its own. */
function warningOf(fields: object, message = ''): Warning {
  const { err, requestId, ...rest } = fields as { err?: unknown; requestId?: string }
  const names = Object.values(rest).filter((value) => typeof value === 'string')
  return { message, detail: [identityOf(err), ...names].join('\n'), requestId }
}

function identityOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return `${error.name} ${'code' in error ? error.code : ''} ${error.message}`
}

/** A database's error carries rows and parameters in further fields: only these four are safe to print. */
function describeError(error: unknown) {
  if (!(error instanceof Error)) return { message: String(error) }
  const code = 'code' in error ? String(error.code) : undefined
  return { name: error.name, code, message: error.message, stack: error.stack }
}
