import { type HeaderName, RESPONSE_HEADERS } from '../answers/response-headers.ts'
import { type Components, type Json, ref } from './components.ts'

const OF_EVERY_ANSWER: HeaderName[] = ['Cache-Control', 'X-Request-Id']

/** The headers of a response, by name: those always sent, and those sometimes sent. */
export function headersOf(
  components: Components,
  always: readonly HeaderName[],
  sometimes: readonly HeaderName[],
): Json {
  const required = new Set([...OF_EVERY_ANSWER, ...always])
  const names = [...new Set([...required, ...sometimes])].sort()
  return Object.fromEntries(names.map((name) => [name, headerRef(components, name, required.has(name))]))
}

function headerRef(components: Components, name: HeaderName, required: boolean): Json {
  const component = required ? name : `Optional-${name}`
  const { description, example } = RESPONSE_HEADERS[name]
  components.headers[component] = { description, required, schema: { type: 'string' }, example }
  return ref('headers', component)
}
