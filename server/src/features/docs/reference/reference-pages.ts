import { html } from '../../../../../embed/src/html.ts'
import { DEMO_NOTE } from '../library.ts'
import { renderInline } from '../markdown.ts'
import type { NavGroup } from '../page-shell.ts'
import { inline } from './inline.ts'
import { operationView } from './operation-view.ts'
import { type Operation, operationsByTag, type ReferenceDocument } from './reference-document.ts'

export interface ReferencePage {
  readonly title: string
  readonly description: string
  readonly body: string
  readonly toc: readonly { readonly id: string; readonly text: string }[]
}

export const slugOfTag = (tag: string): string => tag.toLowerCase()

export const referenceNavigation = ({ tags }: ReferenceDocument): NavGroup[] => [
  {
    title: 'Reference',
    links: [
      { address: '/docs/api', title: 'All operations' },
      ...tags.map(({ name }) => ({ address: `/docs/api/${slugOfTag(name)}`, title: name })),
    ],
  },
]

/** All operations in one list, and what holds for each of them. */
export function referenceOverview(document: ReferenceDocument): ReferencePage {
  const groups = [...operationsByTag(document)].map(
    ([tag, operations]) =>
      html`<h2 id="${slugOfTag(tag)}">${tag}</h2><ul class="operations">${operations.map((operation) => operationLine(tag, operation))}</ul>`,
  )
  const schemes = Object.entries(document.components.securitySchemes).map(
    ([name, { description }]) => html`<dt><code>${name}</code></dt><dd>${inline(description)}</dd>`,
  )
  const base = document.servers[0]?.url ?? ''
  const top = html`<h1>Reference</h1><p>Base address <code>${document.publicUrl}${base}</code>. Made from <a href="/openapi.json">openapi.json</a>, which describes the running version.</p>`
  const access = html`<h2 id="credentials">Credentials</h2><dl class="fields">${schemes}</dl>`
  return {
    title: 'Reference',
    description: 'Every operation of the interface.',
    body: `${top}${DEMO_NOTE}${renderInline(document.info.description)}${access}${html`${groups}`}`,
    toc: document.tags.map(({ name }) => ({ id: slugOfTag(name), text: name })),
  }
}

const operationLine = (tag: string, { operationId, method, path, summary, isEvent }: Operation) =>
  html`<li><span class="method" data-method="${isEvent ? '' : method}">${isEvent ? 'EVENT' : method}</span> <a href="/docs/api/${slugOfTag(tag)}#${operationId}"><code>${path}</code></a> <span>${summary}</span></li>`

/** The operations of one tag; null for a tag that does not exist. */
export function referencePage(document: ReferenceDocument, slug: string): ReferencePage | null {
  const tag = document.tags.find(({ name }) => slugOfTag(name) === slug)
  if (!tag) return null
  const operations = operationsByTag(document).get(tag.name) ?? []
  const top = html`<h1>${tag.name}</h1>${inline(tag.description)}`
  return {
    title: tag.name,
    description: tag.description,
    body: html`${top}${operations.map((operation) => operationView(document, operation))}`.toString(),
    toc: operations.map(({ operationId, summary }) => ({ id: operationId, text: summary })),
  }
}
