import { expect, test } from 'bun:test'
import { createLog } from '../../base/log.ts'
import { takeOffPort } from './take-off-port.ts'

test('a port that cannot be left is a warning, and no failure', () => {
  const lines: Record<string, unknown>[] = []
  const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line)) })
  // Nothing listens on it here.
  takeOffPort(1, { index: 0, of: 2 }, log)
  expect(lines).toMatchObject([{ level: 'warn', index: 0, of: 2, msg: expect.stringContaining('The restart goes on') }])
})
