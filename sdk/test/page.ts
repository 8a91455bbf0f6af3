// What a page of some site does, in a browser.
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { Campaign, Poll, TossupProvider } from '../src/react/index.ts'
import { Visitor } from '../src/visitor.ts'

interface Page {
  readonly location: { readonly search: string }
  readonly document: { getElementById(id: string): Element }
  told: string[]
}

const page = globalThis as unknown as Page
page.told = []
const tell = (event: string) => () => void page.told.push(event)

const query = new URLSearchParams(page.location.search)
const asked = (name: string) => query.get(name) ?? ''
const visitor = new Visitor({ url: asked('service'), retries: 1 })

const shown = query.has('campaign')
  ? createElement(Campaign, {
      campaign: asked('campaign'),
      onVoted: tell('voted'),
      onStep: tell('step'),
      onCompleted: tell('completed'),
    })
  : createElement(Poll, { poll: asked('poll') })
createRoot(page.document.getElementById('root')).render(createElement(TossupProvider, { visitor }, shown))
