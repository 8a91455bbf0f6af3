import { readFileSync } from 'node:fs'
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

interface Operation {
  operationId: string
  responses: Record<string, { content?: Record<string, unknown> }>
}

interface Document {
  paths: Record<string, Record<string, Operation> & { servers?: { url: string }[] }>
  servers: { url: string }[]
}

export const openapiFile = new URL('../openapi.json', import.meta.url)

const document = JSON.parse(readFileSync(openapiFile, 'utf8')) as Document
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats(ajv)
ajv.addSchema(document, 'openapi')

interface Known {
  readonly pattern: RegExp
  readonly path: string
  readonly methods: Record<string, Operation>
}

const known: Known[] = Object.entries(document.paths).map(([path, methods]) => {
  const prefix = methods.servers ? '' : (document.servers[0]?.url ?? '')
  return { path, methods, pattern: new RegExp(`^${prefix}${path.replace(/\{\w+\}/g, '[^/]+')}$`) }
})
// A literal path before one with a parameter in its place, as the router has it.
const rank = ({ path }: Known): string => path.replace(/\{\w+\}/g, '~')
known.sort((left, right) => (rank(left) < rank(right) ? -1 : 1))

const validators = new Map<string, ValidateFunction>()

function validator(pointer: string): ValidateFunction {
  const kept = validators.get(pointer) ?? ajv.compile({ $ref: `openapi#${pointer}` })
  validators.set(pointer, kept)
  return kept
}

interface Received {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** What is missing is told to a person by a page, to all others in the envelope. */
export const isPage = ({ headers }: Pick<Received, 'headers'>): boolean =>
  headers.get('content-type') === 'text/html; charset=utf-8'
const isError = (answer: Received): boolean => answer.status >= 400 && !isPage(answer)
/** Files are not looked into; a type that is not named here must be JSON. */
function isJson(content: Record<string, unknown>, { headers }: Received): boolean {
  const [type = ''] = (headers.get('content-type') ?? '').split(';')
  return 'application/json' in content && (type === 'application/json' || !(type in content))
}

const escaped = (part: string): string => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))

/** Throws when an answer is not what openapi.json promises for that route and status. */
export function checkAgainstOpenApi(method: string, path: string, answer: Received): void {
  if (!answer.headers.get('x-request-id')) throw new Error(`${method} ${path} answered without X-Request-Id`)
  if (method === 'HEAD' || method === 'OPTIONS') return
  if (isError(answer)) checkBody('/components/schemas/Error', answer, `${method} ${path}`)
  const route = known.find((candidate) => candidate.pattern.test(path))
  const operation = route?.methods[method.toLowerCase()]
  if (!route || !operation) {
    if (answer.status === 404 || answer.status === 405) return
    throw new Error(`${method} ${path} answered ${answer.status}, but openapi.json has no such route`)
  }
  const response = operation.responses[answer.status]
  if (!response)
    throw new Error(
      `${operation.operationId} answered ${answer.status}, which openapi.json does not name: ${answer.text}`,
    )
  if (!response.content) {
    if (answer.text !== '') throw new Error(`${operation.operationId} answered ${answer.status} with a body`)
    return
  }
  if (!isJson(response.content, answer)) return
  const at = ['paths', route.path, method.toLowerCase(), 'responses', String(answer.status)].map(escaped).join('/')
  checkBody(`/${at}/content/application~1json/schema`, answer, operation.operationId)
}

function checkBody(pointer: string, answer: Received, name: string): void {
  const validate = validator(pointer)
  if (validate(JSON.parse(answer.text))) return
  throw new Error(
    `${name} answered ${answer.status} against openapi.json: ${ajv.errorsText(validate.errors)}\n${answer.text}`,
  )
}
