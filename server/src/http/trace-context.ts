// https://www.w3.org/TR/trace-context
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/
const ZEROS = /^0+$/
const LONGEST = 256

/** Undefined for anything that is not exactly a `traceparent`: a header that is wrong is no header. */
export function readTraceId(traceparent: string | null): string | undefined {
  if (traceparent === null || traceparent.length > LONGEST) return undefined
  const [, version, traceId = '', spanId = '', rest] = TRACEPARENT.exec(traceparent) ?? []
  if (version === undefined || version === 'ff' || ZEROS.test(traceId) || ZEROS.test(spanId)) return undefined
  // Only later versions may have more fields.
  return version === '00' && rest !== undefined ? undefined : traceId
}
