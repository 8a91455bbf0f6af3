// The script of a third-party page, in a browser.
import { createElement, StrictMode, useState } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { Visitor, type VisitorOptions } from '../src/visitor.ts'
import { content, type Wanted } from './page-content.ts'

interface Place extends Element {
  readonly textContent: string
  readonly childElementCount: number
}

interface Page {
  readonly document: { getElementById(id: string): Place }
  told: unknown[]
  show(next: Wanted): void
}

const page = globalThis as unknown as Page
page.told = []

const given = JSON.parse(page.document.getElementById('wanted').textContent) as {
  readonly visitor: VisitorOptions
  readonly wanted: Wanted
}
const visitor = new Visitor({ retries: 1, ...given.visitor })

function Changing() {
  const [wanted, show] = useState(given.wanted)
  page.show = show
  return content(visitor, wanted, (name, detail) => void page.told.push([name, detail]))
}

const root = page.document.getElementById('root')
const app = createElement(StrictMode, null, createElement(Changing))
// The server has already rendered it.
if (root.childElementCount > 0) hydrateRoot(root, app)
else createRoot(root).render(app)
