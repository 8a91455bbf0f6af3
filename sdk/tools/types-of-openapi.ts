interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly additionalProperties?: boolean | Schema
  readonly description?: string
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description?: string
  readonly schema: Schema
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>

interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

const HEAD = `// Made from server/openapi.json by \`npm run facts\`. A test fails when the two differ.
`

/** TypeScript for every schema and every operation, the same text for the same document. */
export function typesOfOpenApi({ paths, webhooks, components }: OpenApi): string {
  const schemas = Object.entries(components.schemas)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, schema]) => `export type ${name} = ${typeOf(schema, 0)}\n`)
  const errors = Object.entries(components.schemas).filter(([, { properties }]) => properties?.['code']?.const)
  const error = `/** Every error of the interface. */\nexport interface ErrorBody {\n  error:\n${errors.map(([name]) => `    | ${name}\n`).join('')}}\n`
  const operations = operationsOf(paths).map(({ key, operation }) => endpointOf(key, operation))
  const endpoints = `/** Every operation by its method and path. */\nexport interface Endpoints {\n${operations.join('')}}\n`
  const events = Object.entries(webhooks).map(([type, { post }]) => eventOf(type, post))
  const data = `/** Every event that a webhook can be told of, with its data. */\nexport interface Events {\n${events.join('')}}\n`
  return [HEAD, ...schemas, error, endpoints, data].join('\n')
}

export function operationsOf(paths: OpenApi['paths']): { key: string; operation: Operation }[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    METHODS.filter((method) => method in methods).map((method) => ({
      key: `${method.toUpperCase()} ${path}`,
      operation: methods[method] as Operation,
    })),
  )
}

function endpointOf(key: string, { operationId, summary, parameters = [], requestBody, responses }: Operation): string {
  const kept = parameters.filter(({ in: place }) => place !== 'header')
  const parts = { params: kept.filter((p) => p.in === 'path'), query: kept.filter((p) => p.in === 'query') }
  const lines = [`operation: '${operationId}'`]
  for (const [name, given] of Object.entries(parts)) {
    if (given.length > 0) lines.push(`${name}: ${objectOf(given.map(fieldOf), 2)}`)
  }
  const body = requestBody?.content['application/json']?.schema
  if (body) lines.push(`body: ${typeOf(body, 2)}`)
  lines.push(`data: ${dataOf(responses)}`)
  const note = summary ? `  /** ${summary} */\n` : ''
  return `${note}  '${key}': {\n${lines.map((line) => `    ${line}\n`).join('')}  }\n`
}

function eventOf(type: string, { summary, requestBody }: Operation): string {
  const payload = requestBody?.content['application/json']?.schema
  return `  /** ${summary}. */\n  '${type}': ${typeOf(payload?.properties?.['data'] ?? {}, 1)}\n`
}

const fieldOf = ({ name, required, description, schema }: Parameter) => ({
  name,
  schema: description ? { ...schema, description } : schema,
  isRequired: required,
})

/** The type of `data` in a success response, or of the whole body if it has no such field. */
function dataOf(responses: Operation['responses']): string {
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
  if (!success?.content) return 'undefined'
  const schema = success.content['application/json']?.schema
  if (!schema?.properties) return 'unknown'
  return typeOf(schema.properties['data'] ?? schema, 2)
}

function typeOf(schema: Schema, depth: number): string {
  if (schema.$ref) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives && !schema.properties) return alternatives.map((one) => typeOf(one, depth)).join(' | ')
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum) return schema.enum.map(literal).join(' | ')
  const types = schema.type === undefined ? [] : [schema.type].flat()
  return types.map((type) => plainType(type, schema, depth)).join(' | ') || 'unknown'
}

const literal = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : String(value))

function plainType(type: string, schema: Schema, depth: number): string {
  switch (type) {
    case 'integer':
      return 'number'
    case 'array':
      return arrayOf(schema.items ?? {}, depth)
    case 'object':
      return fieldsOf(schema).length > 0 ? objectOf(fieldsOf(schema), depth) : recordOf(schema, depth)
    default:
      return type
  }
}

function arrayOf(items: Schema, depth: number): string {
  const type = typeOf(items, depth)
  return type.includes(' | ') ? `(${type})[]` : `${type}[]`
}

function recordOf({ additionalProperties }: Schema, depth: number): string {
  const values = typeof additionalProperties === 'object' ? typeOf(additionalProperties, depth) : 'unknown'
  return `Record<string, ${values}>`
}

interface Field {
  readonly name: string
  readonly schema: Schema
  readonly isRequired: boolean
}

const fieldsOf = ({ properties = {}, required = [] }: Schema): Field[] =>
  Object.entries(properties).map(([name, schema]) => ({ name, schema, isRequired: required.includes(name) }))

function objectOf(fields: readonly Field[], depth: number): string {
  const indent = '  '.repeat(depth + 1)
  const lines = fields.map(({ name, schema, isRequired }) => {
    const note = schema.description ? `${indent}/** ${schema.description} */\n` : ''
    const type = typeOf(schema, depth + 1)
    return `${note}${indent}${name}${isRequired ? '' : '?'}: ${type}${isRequired ? '' : ' | undefined'}\n`
  })
  return `{\n${lines.join('')}${'  '.repeat(depth)}}`
}
