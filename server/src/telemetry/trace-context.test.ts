import { expect, test } from 'bun:test'
import { readTraceparent } from './trace-context.ts'

const [TRACE, SPAN] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']

test('a traceparent is read', () => {
  expect(readTraceparent(`00-${TRACE}-${SPAN}-01`)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled: true })
  expect(readTraceparent(`00-${TRACE}-${SPAN}-02`)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled: false })
  expect(readTraceparent(`cc-${TRACE}-${SPAN}-03-later`)?.isSampled).toBe(true)
})

test.each([
  null,
  '',
  'junk',
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-1`,
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `ff-${TRACE}-${SPAN}-01`,
  `cc-${TRACE}-${SPAN}-01more`,
  `cc-${TRACE}-${SPAN}-01-${'x'.repeat(300)}`,
])('%p is none', (text) => {
  expect(readTraceparent(text)).toBeNull()
})
