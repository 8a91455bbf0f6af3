// features/agents: what programs that act for a person may do: an MCP server, its tools, and the grants of people.
import { openApiText } from '../../base/own-texts.ts'

/** The permissions that a person gives an agent. Each tool needs one. */
export const LEAVES = ['read', 'draft', 'publish'] as const

export type Leave = (typeof LEAVES)[number]

interface ToolLine {
  readonly name: string
  /** The route that the tool calls, by its name: it gives the words, the schema and the errors. */
  readonly operation: string
  readonly leave: Leave
  /** Replaces the route's title and description. */
  readonly title?: string
  readonly about?: string
  /** The only fields that the tool takes beside those of the path: what a route takes later reaches no agent by itself. Default: all parameters, for reads. */
  readonly takes?: readonly string[]
  /** Sent with each call. */
  readonly sets?: Readonly<Record<string, unknown>> | ((now: string) => Readonly<Record<string, unknown>>)
  /** The route that reads the poll first: a published one needs `publish`. */
  readonly draftOf?: string
}

const DRAFT = ['title', 'optionA', 'optionB', 'tags', 'categoryIds', 'opensAt', 'closesAt', 'optionOrder'] as const
const LOOK = [
  'accent',
  'background',
  'foreground',
  'colorScheme',
  'radius',
  'density',
  'fontStack',
  'elevation',
] as const
const PLACES = ['titlePlacement', 'labelPlacement', 'labelAlign', 'motion'] as const

/** Every tool. None deletes, votes, issues codes or shows a secret. A route needs one line here to become a tool. */
const TOOLS: readonly ToolLine[] = [
  { name: 'polls_list', operation: 'listOwnPolls', leave: 'read' },
  { name: 'poll_get', operation: 'getOwnPoll', leave: 'read' },
  { name: 'poll_results', operation: 'getInsight', leave: 'read' },
  { name: 'campaigns_list', operation: 'listOwnCampaigns', leave: 'read' },
  { name: 'campaign_results', operation: 'getFunnel', leave: 'read' },
  { name: 'summary', operation: 'getSummary', leave: 'read' },
  {
    name: 'activity',
    operation: 'listActivity',
    leave: 'read',
    about: 'One entry for each write of the brand that took effect, and for each call of an agent.',
    takes: ['actor', 'action', 'subject', 'limit', 'cursor'],
  },
  {
    name: 'poll_draft',
    operation: 'createPoll',
    leave: 'draft',
    title: 'Draft a poll',
    about: 'Creates a draft of a poll with two options. Only members of the brand see it until somebody publishes it.',
    takes: [...DRAFT, 'slug'],
    sets: { isDraft: true },
  },
  {
    name: 'poll_update',
    operation: 'updatePoll',
    leave: 'draft',
    about:
      'Changes the fields that you send and no others. Lists are replaced. A poll that is not a draft needs the permission to publish.',
    takes: DRAFT,
    draftOf: 'getOwnPoll',
  },
  {
    name: 'campaign_draft',
    operation: 'createCampaign',
    leave: 'draft',
    title: 'Draft a campaign',
    about: 'Creates a draft of a campaign from polls of the brand. Visitors do not see it until somebody publishes it.',
    takes: ['title', 'description', 'polstIds', 'opensAt', 'closesAt'],
    sets: { state: 'draft' },
  },
  {
    name: 'poll_publish',
    operation: 'updatePoll',
    leave: 'publish',
    title: 'Publish a draft of a poll',
    about: 'From then on everybody can see the poll and vote. A poll with votes cannot become a draft again.',
    takes: ['opensAt', 'closesAt'],
    sets: { isDraft: false },
  },
  {
    name: 'poll_close',
    operation: 'updatePoll',
    leave: 'publish',
    title: 'Close a poll now',
    about: 'The poll accepts no more votes. A member can reopen it with a later closing time.',
    takes: [],
    sets: (now) => ({ closesAt: now }),
  },
  {
    name: 'poll_archive',
    operation: 'updatePoll',
    leave: 'publish',
    title: 'Archive a poll',
    about: 'The poll accepts no votes and is in no feed, but its link still works. A member can restore it.',
    takes: [],
    sets: { archived: true },
  },
  {
    name: 'campaign_publish',
    operation: 'updateCampaign',
    leave: 'publish',
    title: 'Publish a draft of a campaign',
    about: 'From then on everybody can see the campaign.',
    takes: [],
    sets: { state: 'published' },
  },
  {
    name: 'theme_update',
    operation: 'updateTheme',
    leave: 'publish',
    about: 'Changes the look of all polls of the brand, at once. Null resets a field.',
    takes: [...LOOK, ...PLACES],
  },
]

type JsonSchema = Readonly<Record<string, unknown>>

/** A tool as `tools/list` shows it. */
export interface ToolWords {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly annotations: Readonly<Record<string, boolean>>
}

type Place = 'path' | 'query' | 'body'

export interface Tool extends ToolLine {
  readonly words: ToolWords
  readonly method: string
  /** Relative to the prefix of the interface. */
  readonly path: string
  /** Where each argument goes. */
  readonly places: ReadonlyMap<string, Place>
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly description?: string
    readonly schema: JsonSchema
  }[]
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: JsonSchema } } }
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}

const PERMISSION: Record<Leave, string> = {
  read: '',
  draft: ' Needs the permission to draft.',
  publish: ' Needs the permission to publish.',
}

/** Made from the reference, which is made from the routes: it is the same for the server and for `tossup mcp`. */
export function readTools(): Tool[] {
  const document = JSON.parse(openApiText()) as Document
  const operations = new Map(
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, operation]) => [operation.operationId, { path, method, operation }] as const,
      ),
    ),
  )
  return TOOLS.map((line) => {
    const found = operations.get(line.operation)
    if (!found) throw new Error(`the tool ${line.name} names no route`)
    return toolOf(line, found, document)
  })
}

function toolOf(
  line: ToolLine,
  { path, method, operation }: { path: string; method: string; operation: Operation },
  document: Document,
): Tool {
  const { takes, leave, name } = line
  const isTaken = (field: string) => (takes ? takes.includes(field) : method === 'get')
  const parameters = (operation.parameters ?? []).filter(
    (each) => each.in === 'path' || (each.in === 'query' && isTaken(each.name)),
  )
  const body = resolved(operation.requestBody?.content['application/json'].schema ?? {}, document) as {
    properties?: Record<string, JsonSchema>
    required?: string[]
  }
  const fields = Object.entries(body.properties ?? {}).filter(([field]) => isTaken(field))
  const places = new Map<string, Place>([
    ...parameters.map((each) => [each.name, each.in as Place] as const),
    ...fields.map(([field]) => [field, 'body'] as const),
  ])
  const missing = takes?.filter((field) => !places.has(field)) ?? []
  if (missing.length > 0) throw new Error(`the tool ${name} takes ${missing}, which ${line.operation} does not know`)
  const properties = {
    ...Object.fromEntries(
      parameters.map(({ name: field, description, schema }) => [
        field,
        { ...(resolved(schema, document) as object), ...(description ? { description } : {}) },
      ]),
    ),
    ...Object.fromEntries(fields),
  }
  const needed = [
    ...parameters.filter(({ required }) => required).map((each) => each.name),
    ...(body.required ?? []).filter((field) => places.get(field) === 'body'),
    ...(name === 'campaign_draft' ? ['title'] : []),
  ]
  const isRead = method === 'get'
  return {
    ...line,
    method: method.toUpperCase(),
    path,
    places,
    words: {
      name,
      title: line.title ?? operation.summary,
      description: `${line.title ?? operation.summary}. ${line.about ?? operation.description}${PERMISSION[leave]}`,
      inputSchema: { type: 'object', properties, required: needed, additionalProperties: false },
      annotations: isRead
        ? { readOnlyHint: true, openWorldHint: false }
        : { readOnlyHint: false, destructiveHint: leave === 'publish', openWorldHint: leave === 'publish' },
    },
  }
}

/** The schema with every reference replaced by its target: clients of tools follow none out of the tool. */
function resolved(value: unknown, document: Document): unknown {
  if (Array.isArray(value)) return value.map((each) => resolved(each, document))
  if (typeof value !== 'object' || value === null) return value
  const { $ref, ...rest } = value as { $ref?: unknown }
  const target = typeof $ref === 'string' ? document.components.schemas[$ref.split('/').at(-1) ?? ''] : undefined
  const own = Object.fromEntries(Object.entries(rest).map(([key, each]) => [key, resolved(each, document)]))
  return target ? { ...(resolved(target, document) as object), ...own } : own
}
