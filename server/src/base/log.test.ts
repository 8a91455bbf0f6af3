import { expect, test } from 'bun:test'
import { createLog } from './log.ts'

const SECRET = 'do-not-print-me'

function logged(write: (log: ReturnType<typeof createLog>) => void): string {
  const lines: string[] = []
  write(createLog('trace', { write: (line) => void lines.push(line) }))
  return lines.join('')
}

test.each([
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
  'password',
  'SECRET_KEY',
  'DATABASE_URL',
  'REDIS_URL',
])('%s is not printed, at the top or two below', (name) => {
  const line = logged((log) => {
    log.info({ [name]: SECRET })
    log.info({ body: { [name]: SECRET } })
    log.info({ request: { headers: { [name]: SECRET } } })
    log.child({ [name]: SECRET }).info('child')
  })
  expect(line).not.toContain(SECRET)
  expect(line.match(/\[redacted\]/g)).toHaveLength(4)
})

test('an error is its name, code, message and stack: never the rows that a database hangs on it', () => {
  const error = Object.assign(new Error('duplicate key'), {
    code: '23505',
    detail: `Key (device)=(${SECRET}) already exists.`,
    parameters: [SECRET],
    cause: new Error(SECRET),
  })
  const line = logged((log) => log.error({ err: error }, 'failed'))
  expect(JSON.parse(line)).toEqual({
    level: 'error',
    time: expect.any(String),
    err: { name: 'Error', code: '23505', message: 'duplicate key', stack: error.stack },
    msg: 'failed',
  })
  expect(line).not.toContain(SECRET)
})

test('a thing that was thrown and is no error is printed too', () => {
  expect(logged((log) => log.error({ err: 'text' }, 'failed'))).toContain('"err":{"message":"text"}')
})
