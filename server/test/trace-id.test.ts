import { expect, test } from 'bun:test'
import { startTestService } from './service.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01`, tracestate: 'vendor=1' }

test('the trace of a refused request is in its log line; junk is not', async () => {
  const service = await startTestService('sqlite', { settings: { LOG_LEVEL: 'info' } })
  const linesOf = (part: string) => service.logLines.filter((line) => line.includes(part))
  const known = await service.get('polls/nothing', { headers: PARENT })
  const junk = await service.get('polls/nothing', { headers: { traceparent: `00-${TRACE.toUpperCase()}-1-01` } })
  expect(linesOf(known.body.error.requestId)).toEqual([expect.stringContaining(`"traceId":"${TRACE}"`)])
  expect(linesOf(junk.body.error.requestId)).toEqual([expect.not.stringContaining('traceId')])
  await service.stop()
})
