// features/docs/reference: the reference of the interface, as pages made from openapi.json.

import { openApiText } from '../../../base/own-texts.ts'

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly additionalProperties?: boolean | Schema
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
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

export interface Described {
  readonly $ref?: string
  readonly description?: string
  readonly content?: Readonly<Record<string, Content>>
}

export interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Schema
}

export interface OperationObject {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Described & { readonly required?: boolean }
  readonly responses: Readonly<Record<string, Described>>
}

type PathItem = Readonly<Record<string, unknown>> & { readonly servers?: readonly { readonly url: string }[] }

export interface ReferenceDocument {
  /** The address of the running service, for the examples. */
  readonly publicUrl: string
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, PathItem>>
  readonly webhooks: Readonly<Record<string, PathItem>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, Described>>
    readonly parameters?: Readonly<Record<string, Parameter>>
    readonly securitySchemes: Readonly<Record<string, { readonly description: string }>>
  }
}

export interface Operation extends OperationObject {
  readonly method: string
  /** With its prefix; the type of an event for a webhook. */
  readonly path: string
  readonly isEvent: boolean
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

export const readReference = (publicUrl: string): ReferenceDocument => ({ ...JSON.parse(openApiText()), publicUrl })

/** The operations of each tag, in the order of the document. */
export function operationsByTag({ paths, webhooks, servers, tags }: ReferenceDocument): Map<string, Operation[]> {
  const byTag = new Map<string, Operation[]>(tags.map(({ name }) => [name, []]))
  const add = (items: ReferenceDocument['paths'], isEvent: boolean) => {
    for (const [path, item] of Object.entries(items)) {
      const base = isEvent ? '' : ((item.servers ?? servers)[0]?.url.replace(/\/$/, '') ?? '')
      for (const method of METHODS) {
        const operation = item[method] as OperationObject | undefined
        if (!operation) continue
        byTag
          .get(operation.tags[0] ?? '')
          ?.push({ ...operation, method: method.toUpperCase(), path: base + path, isEvent })
      }
    }
  }
  add(paths, false)
  add(webhooks, true)
  return byTag
}

/** Follows references into the components. */
export function resolved<Part extends { readonly $ref?: string }>(document: ReferenceDocument, part: Part): Part {
  if (part.$ref === undefined) return part
  const names = part.$ref.slice('#/'.length).split('/')
  const target = names.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document) as Part
  return { ...resolved(document, target), ...part, $ref: undefined }
}
