import { readFileSync } from 'node:fs'
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Route } from '../src/http/route.ts'
import { openApiDocument } from '../tools/openapi/openapi-document.ts'

interface Response {
  $ref?: string
  content?: Record<string, unknown>
  headers?: Record<string, { $ref: string }>
}

interface Operation {
  operationId: string
  responses: Record<string, Response>
}

interface Document {
  paths: Record<string, Record<string, Operation> & { servers?: { url: string }[] }>
  servers: { url: string }[]
  components: {
    schemas: Record<string, object>
    responses: Record<string, Response>
    headers: Record<string, { required: boolean }>
  }
}

export const openapiFile = new URL('../openapi.json', import.meta.url)

/** Clients must expect new fields in answers. Tests must not, so here schemas allow no additional properties. */
function close(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  for (const inside of Object.values(value)) close(inside)
  if ('properties' in value && !('additionalProperties' in value)) Object.assign(value, { additionalProperties: false })
}

/** For a start in half the time: nearly every test file compiles these schemas. That they are valid is tested by `openapi-lint.test.ts`. */
const QUICKLY = { validateSchema: false, meta: false, inlineRefs: false, code: { optimize: false } } as const

interface Known {
  readonly pattern: RegExp
  readonly path: string
  readonly methods: Record<string, Operation>
}

let allRoutes: readonly Route[] = []

/** Describes the routes outside of the interface too, which openapi.json leaves out. */
export function describeRoutes(routes: readonly Route[]): void {
  if (allRoutes.length === 0) allRoutes = routes
}

/** The interface is what openapi.json says; a test compares both. */
const documentOf = (): Document =>
  JSON.parse(
    allRoutes.length === 0 ? readFileSync(openapiFile, 'utf8') : JSON.stringify(openApiDocument(allRoutes, '')),
  )

/** Made on first use. */
const load = once(() => {
  const document = documentOf()
  const errors = Object.keys(document.components.schemas).filter((name) => name.endsWith('Error'))
  const oneOf = errors.map((name) => ({ $ref: `#/components/schemas/${name}` }))
  document.components.schemas['EveryError'] = { properties: { error: { oneOf } }, required: ['error'] }
  close(document)
  const ajv = new Ajv2020({ strict: false, allErrors: true, ...QUICKLY })
  addFormats(ajv)
  ajv.addSchema(document, 'openapi')
  const known: Known[] = Object.entries(document.paths).map(([path, methods]) => {
    const prefix = methods.servers ? '' : (document.servers[0]?.url ?? '')
    return { path, methods, pattern: patternOf(prefix + path) }
  })
  // Literal paths before paths with a parameter, as in the router.
  known.sort((left, right) => (rank(left) < rank(right) ? -1 : 1))
  return { document, ajv, known }
})

const rank = ({ path }: Known): string => path.replace(/\{\w+\}/g, '~')

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

const validators = new Map<string, ValidateFunction>()

function validator(pointer: string): ValidateFunction {
  const kept = validators.get(pointer) ?? load().ajv.compile({ $ref: `openapi#${pointer}` })
  validators.set(pointer, kept)
  return kept
}

interface Received {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** An answer whose JSON is parsed once, for both schemas of a refusal. */
interface Body {
  readonly answer: Received
  readonly value: () => unknown
}

/** A missing resource is answered with an HTML page on page routes, and with the JSON error envelope elsewhere. */
export const isPage = ({ headers }: Pick<Received, 'headers'>): boolean =>
  headers.get('content-type') === 'text/html; charset=utf-8'
const isError = (answer: Received): boolean => answer.status >= 400 && !isPage(answer)
/** The contents of files are not checked. A type that is not declared here must be JSON. */
function isJson(content: Record<string, unknown>, { headers }: Received): boolean {
  const [type = ''] = (headers.get('content-type') ?? '').split(';')
  return 'application/json' in content && (type === 'application/json' || !(type in content))
}

const escaped = (part: string): string => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))

/** Their refusals have the form of JSON-RPC and of OAuth. */
const OTHER_PROTOCOLS = /^\/(?:mcp|oauth\/(?:token|revoke))$/

/** Throws if an answer is not what openapi.json declares for that route and status. */
export function checkAgainstOpenApi(method: string, path: string, answer: Received): void {
  if (!answer.headers.get('x-request-id')) throw new Error(`${method} ${path} answered without X-Request-Id`)
  if (method === 'HEAD' || method === 'OPTIONS') return
  if (answer.status >= 400 && OTHER_PROTOCOLS.test(path)) return
  const body: Body = { answer, value: once(() => JSON.parse(answer.text)) }
  if (isError(answer)) checkBody('/components/schemas/EveryError', body, `${method} ${path}`)
  const route = routeOf(path)
  const operation = route?.methods[method.toLowerCase()]
  if (!route || !operation) {
    if (answer.status === 404 || answer.status === 405) return
    throw new Error(`${method} ${path} answered ${answer.status}, but openapi.json has no such route`)
  }
  const at = () =>
    ['paths', route.path, method.toLowerCase(), 'responses', String(answer.status)].map(escaped).join('/')
  checkResponse(operation, body, () => `/${at()}`)
}

/** A segment such as `{tilePath}` takes all that are left. */
const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/\{\w+Path\}/, '.+').replace(/\{\w+\}/g, '[^/]+')}$`)

const routes = new Map<string, Known | undefined>()

/** Tests ask for the same paths again and again. */
function routeOf(path: string): Known | undefined {
  if (!routes.has(path))
    routes.set(
      path,
      load().known.find(({ pattern }) => pattern.test(path)),
    )
  return routes.get(path)
}

/** Headers of every answer or of the connection. openapi.json does not declare them for single operations. */
const OF_EVERY_ANSWER =
  /^(access-control-.*|connection|content-(encoding|length|type)|date|transfer-encoding|x-accel-buffering|x-content-type-options)$/

/** Headers that are sent must be declared, and required headers must be sent. */
function checkHeaders(name: string, response: Response, { headers, status }: Received): void {
  const { names, required } = headersOf(response)
  const undeclared = [...headers.keys()].filter((header) => !names.has(header) && !OF_EVERY_ANSWER.test(header))
  const missing = required.filter((header) => !headers.has(header))
  if (undeclared.length > 0) throw new Error(`${name} answered ${status} with undeclared headers: ${undeclared}`)
  if (missing.length > 0) throw new Error(`${name} answered ${status} without ${missing}`)
}

interface DeclaredHeaders {
  readonly names: ReadonlySet<string>
  readonly required: readonly string[]
}

const declaredHeaders = new Map<Response, DeclaredHeaders>()

function headersOf(response: Response): DeclaredHeaders {
  const kept = declaredHeaders.get(response)
  if (kept) return kept
  const { components } = load().document
  const declared = Object.entries(response.headers ?? {})
  const made = {
    names: new Set(declared.map(([header]) => header.toLowerCase())),
    required: declared
      .filter(([, { $ref }]) => components.headers[$ref.slice($ref.lastIndexOf('/') + 1)]?.required)
      .map(([header]) => header),
  }
  declaredHeaders.set(response, made)
  return made
}

function checkResponse({ operationId, responses }: Operation, body: Body, inline: () => string): void {
  const { document } = load()
  const { answer } = body
  const response = responses[answer.status]
  if (!response)
    throw new Error(`${operationId} answered ${answer.status}, which openapi.json does not name: ${answer.text}`)
  const name = response.$ref?.split('/').at(-1) ?? ''
  const resolved = document.components.responses[name] ?? response
  const { content } = resolved
  checkHeaders(operationId, resolved, answer)
  if (!content && answer.text !== '') throw new Error(`${operationId} answered ${answer.status} with a body`)
  if (!content || !isJson(content, answer)) return
  checkBody(`${response.$ref?.slice(1) ?? inline()}/content/application~1json/schema`, body, operationId)
}

interface Told {
  readonly type: string
  readonly data: { readonly omitted?: unknown }
}

/** Throws if an event is not what openapi.json declares. Events with omitted members are not checked. */
export function checkEvent(payload: Told): void {
  const { type, data } = payload
  if (data.omitted) return
  const { ajv } = load()
  const validate = validator(`/webhooks/${escaped(type)}/post/requestBody/content/application~1json/schema`)
  if (!validate(payload)) throw new Error(`${type} against openapi.json: ${ajv.errorsText(validate.errors)}`)
}

/** The validation errors of a value against a closed schema of openapi.json; empty if it is valid. */
export function faultsOf(pointer: string[], value: unknown): string {
  const validate = validator(`/${pointer.map(escaped).join('/')}`)
  return validate(value) ? '' : load().ajv.errorsText(validate.errors)
}

function checkBody(pointer: string, { answer, value }: Body, name: string): void {
  const { ajv } = load()
  const validate = validator(pointer)
  if (validate(value())) return
  throw new Error(
    `${name} answered ${answer.status} against openapi.json: ${ajv.errorsText(validate.errors)}\n${answer.text}`,
  )
}
