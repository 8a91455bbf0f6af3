import { expect, test } from 'bun:test'
import { callsOf } from './own-redis.ts'

test('the calls of all commands are summed up', () => {
  const text =
    '# Commandstats\r\ncmdstat_zadd:calls=20,usec=31,usec_per_call=1.55\r\ncmdstat_client|info:calls=3,usec=9\r\n'
  expect(callsOf(text)).toBe(23)
  expect(callsOf('# Commandstats\r\n')).toBe(0)
})
