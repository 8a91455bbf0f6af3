// The parts of openapi.json that the reference shows, with all references followed.

import openApi from '../../../openapi.json' with { type: 'json' }

export interface Schema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly default?: unknown
  readonly examples?: readonly unknown[]
}

export interface Content {
  readonly schema?: Schema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, unknown>>
}

export interface Described {
  readonly description?: string
  readonly content?: Readonly<Record<string, Content>>
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Schema
}

interface OperationObject {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Described
  readonly responses: Readonly<Record<string, Described>>
}

export interface Operation extends OperationObject {
  /** `EVENT` for a webhook. */
  readonly method: string
  /** With its prefix; the type of an event for a webhook. */
  readonly path: string
}

type PathItem = Readonly<Record<string, OperationObject>> & { readonly servers?: readonly { readonly url: string }[] }

interface ApiDocument {
  readonly info: { readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, PathItem>>
  readonly webhooks: Readonly<Record<string, PathItem>>
  readonly components: { readonly securitySchemes: Readonly<Record<string, { readonly description: string }>> }
}

/** Follows the references of a part into the components. None of ours leads back to itself. */
function follow(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(follow)
  if (typeof part !== 'object' || part === null) return part
  const { $ref, ...own } = part as { readonly $ref?: unknown }
  const made = Object.fromEntries(Object.entries(own).map(([name, value]) => [name, follow(value)]))
  if (typeof $ref !== 'string') return made
  const names = $ref.slice('#/'.length).split('/')
  const target = names.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], openApi)
  return { ...(follow(target) as object), ...made }
}

export const API = follow(openApi) as ApiDocument

/** The path that all operations of the API begin with. */
export const BASE = API.servers[0]?.url.replace(/\/$/, '') ?? ''

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

const operationsOf = (items: ApiDocument['paths'], isEvent: boolean): Operation[] =>
  Object.entries(items).flatMap(([path, item]) =>
    METHODS.flatMap((name) => {
      const operation = item[name]
      if (!operation) return []
      const base = item.servers?.[0]?.url.replace(/\/$/, '') ?? BASE
      return [{ ...operation, method: isEvent ? 'EVENT' : name.toUpperCase(), path: isEvent ? path : base + path }]
    }),
  )

/** In the order of the document, events last. */
export const OPERATIONS: readonly Operation[] = [...operationsOf(API.paths, false), ...operationsOf(API.webhooks, true)]
