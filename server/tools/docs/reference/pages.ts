import { html } from '../../../../embed/src/render/html.ts'
import { SERVICE } from '../../../src/features/pages/docs/page-parts.ts'
import { DEMO_NOTE, type Page } from '../page.ts'
import type { SearchRow } from '../search-options.ts'
import { API, BASE, OPERATIONS, type Operation } from './document.ts'
import { described } from './fields.ts'
import { operationView } from './operation.ts'

export const TAGS = API.tags.map((tag) => ({
  ...tag,
  slug: tag.name.toLowerCase(),
  address: `/docs/api/${tag.name.toLowerCase()}`,
  operations: OPERATIONS.filter(({ tags: [first] }) => first === tag.name),
}))

const operationLine = (address: string, { operationId, method, path, summary }: Operation) =>
  html`<li><span class="method">${method}</span> <a href="${address}#${operationId}"><code>${path}</code></a> <span>${summary}</span></li>`

/** All operations in one list, and what holds for each of them. */
function overview(): Page {
  const groups = TAGS.map(
    ({ name, slug, address, operations }) =>
      html`<h2 id="${slug}">${name}</h2><ul class="operations">${operations.map((operation) => operationLine(address, operation))}</ul>`,
  )
  const schemes = Object.entries(API.components.securitySchemes).map(
    ([name, { description }]) => html`<dt><code>${name}</code></dt><dd>${described(description)}</dd>`,
  )
  const body = html`<h1>Reference</h1><p>Base address <code>${SERVICE}${BASE}</code>. Made from <a href="/openapi.json">openapi.json</a>, which describes the running version.</p>${DEMO_NOTE}${described(API.info.description)}<h2 id="credentials">Credentials</h2><dl class="fields">${schemes}</dl>${groups}`
  const toc = TAGS.map(({ name, slug }) => ({ id: slug, text: name }))
  const description = 'Every operation of the interface.'
  return { address: '/docs/api', title: 'Reference', description, body: body.toString(), toc }
}

/** The list of all operations, and a page for each tag. */
export const REFERENCE_PAGES: readonly Page[] = [
  overview(),
  ...TAGS.map(({ name, description, address, operations }) => ({
    ...{ address, title: name, description },
    body: html`<h1>${name}</h1>${described(description)}${operations.map(operationView)}`.toString(),
    toc: operations.map(({ operationId, summary }) => ({ id: operationId, text: summary })),
  })),
]

/** The operations in the search: found by path, name and description. */
export const REFERENCE_ROWS: readonly SearchRow[] = TAGS.flatMap(({ address, operations }) =>
  operations.map(({ operationId, method, path, summary, description }) => ({
    id: `${address}#${operationId}`,
    page: 'Reference',
    heading: summary,
    words: `${method} ${path} ${operationId} ${description.replaceAll('`', '')}`,
  })),
)
