import { expect, test } from 'bun:test'
import { closeSync, existsSync, openSync } from 'node:fs'
import { createLog, logDestination } from './log.ts'

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
])('%s is redacted, at the top level and two levels below', (name) => {
  const line = logged((log) => {
    log.info({ [name]: SECRET })
    log.info({ body: { [name]: SECRET } })
    log.info({ request: { headers: { [name]: SECRET } } })
    log.child({ [name]: SECRET }).info('child')
  })
  expect(line).not.toContain(SECRET)
  expect(line.match(/\[redacted\]/g)).toHaveLength(4)
})

test('an error is logged with its name, code, message and stack, never with database rows', () => {
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

test('a thrown value that is no Error is logged too', () => {
  expect(logged((log) => log.error({ err: 'text' }, 'failed'))).toContain('"err":{"message":"text"}')
})

test('a repeated cause is one line a second with a count and the requestIds; a flush writes the held lines', async () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(line) })
  const away = () => Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' })
  const startedAt = performance.now()
  let count = 0
  // A process that stalled goes on until two counts are written.
  for (; performance.now() - startedAt < 2_500 || lines.length < 3; count++) {
    log.error({ err: away(), requestId: `r${count}`, votes: count }, 'the database did not answer')
    // Real time: the log counts by the second.
    if (count % 500 === 499) await Bun.sleep(1)
  }
  log.flush()
  const written = lines.map((line) => JSON.parse(line))
  expect(written.length).toBeWithin(3, Math.floor((performance.now() - startedAt) / 1_000) + 3)
  expect(written[0]).toMatchObject({ requestId: 'r0', err: { code: 'ECONNREFUSED' } })
  expect(written[0]).not.toHaveProperty('repeated')
  expect(written[1].requestIds.slice(0, 3)).toEqual(['r1', 'r2', 'r3'])
  expect(written[1]).toMatchObject({ level: 'error', msg: 'the database did not answer', err: written[0].err })
  expect(1 + written.slice(1).reduce((sum, { repeated }) => sum + repeated, 0)).toBe(count)
})

test('lines about different polls are all written, and so is every info line', () => {
  const lines: string[] = []
  const log = createLog('debug', { write: (line) => void lines.push(line) })
  for (const pollId of ['a', 'b', 'a']) log.error({ pollId, rows: lines.length }, 'THE TALLY DIFFERS')
  for (let i = 0; i < 3; i++) log.info('serving')
  for (let i = 0; i < 3; i++) log.warn('plain')
  log.flush()
  const told = lines.map((line) => JSON.parse(line))
  expect(told.map(({ msg, pollId, repeated }) => [msg, pollId, repeated])).toEqual([
    ['THE TALLY DIFFERS', 'a', undefined],
    ['THE TALLY DIFFERS', 'b', undefined],
    ['serving', undefined, undefined],
    ['serving', undefined, undefined],
    ['serving', undefined, undefined],
    ['plain', undefined, undefined],
    ['THE TALLY DIFFERS', 'a', 1],
    ['plain', undefined, 2],
  ])
})

test.if(existsSync('/dev/full'))('an unwritable log, for example on a full disk, stops no server', () => {
  const full = openSync('/dev/full', 'w')
  const log = createLog('info', logDestination(full))
  for (let i = 0; i < 1_000; i++) log.info({ filler: 'x'.repeat(2_000) }, 'serving')
  log.flush()
  closeSync(full)
})
