import { expect, test } from 'bun:test'
import { readTraceId } from './request-record.ts'

const [TRACE, SPAN] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']

test.each([`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-02`, `cc-${TRACE}-${SPAN}-03-later`])(
  '%p has a trace id',
  (text) => {
    expect(readTraceId(text)).toBe(TRACE)
  },
)

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
])('%p has none', (text) => {
  expect(readTraceId(text)).toBeUndefined()
})
