import pino from 'pino'

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

export function createLog(level: string, destination?: pino.DestinationStream): Log {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: redactedPaths, censor: '[redacted]' },
    serializers: { err: describeError },
  }
  return destination ? pino(options, destination) : pino(options)
}

/** A database's error carries rows and parameters in further fields: only these four are safe to print. */
function describeError(error: unknown) {
  if (!(error instanceof Error)) return { message: String(error) }
  const code = 'code' in error ? String(error.code) : undefined
  return { name: error.name, code, message: error.message, stack: error.stack }
}
