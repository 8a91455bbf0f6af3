import { createElement, StrictMode } from 'react'
import { renderToString } from 'react-dom/server'
import { Visitor, type VisitorOptions } from '../src/visitor.ts'
import { content, type Wanted } from './page-content.ts'

/** The strictest policy that works: scripts of the page and of the service only, and no inline styles. */
const policyOf = (service: string): string =>
  [
    "default-src 'none'",
    `script-src 'self' ${service}`,
    `connect-src ${service}`,
    `img-src ${service}`,
    "base-uri 'none'",
  ].join('; ')

/** React's development build, which reports hydration mismatches. */
async function bundle(): Promise<string> {
  const entry = new URL('./page.ts', import.meta.url).pathname
  const define = { 'process.env.NODE_ENV': '"development"' }
  const built = await Bun.build({ entrypoints: [entry], target: 'browser', define })
  return (await built.outputs[0]?.text()) ?? ''
}

interface Shown {
  readonly wanted: Wanted
  readonly visitor?: Omit<VisitorOptions, 'url'>
  /** True if a server has rendered the page. */
  readonly isServed?: boolean
  /** Markup before the React root. */
  readonly before?: string
}

/** A third-party page made with React, on another origin than the service. */
export class ReactSite {
  readonly #server: Bun.Server<undefined>
  readonly #service: string
  #shown: Shown = { wanted: {} }

  private constructor(script: string, service: string) {
    this.#service = service
    this.#server = Bun.serve({
      hostname: 'localhost',
      port: 0,
      fetch: ({ url }) => {
        if (new URL(url).pathname === '/page.js') {
          return new Response(script, { headers: { 'Content-Type': 'text/javascript' } })
        }
        const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policyOf(service) }
        return new Response(this.#document(), { headers })
      },
    })
  }

  static open = async (service: string): Promise<ReactSite> => new ReactSite(await bundle(), service)

  /** Serves this content from now on, and returns its URL. */
  showing(shown: Shown): string {
    this.#shown = shown
    return `http://localhost:${this.#server.port}/`
  }

  stop = (): Promise<void> => this.#server.stop(true)

  #document(): string {
    const { wanted, visitor: options, isServed = false, before = '' } = this.#shown
    const visitor = { url: this.#service, ...options }
    const told = JSON.stringify({ visitor, wanted }).replaceAll('<', '\\u003c')
    const app = createElement(
      StrictMode,
      null,
      content(new Visitor(visitor), wanted, () => undefined),
    )
    return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Somebody's page</title></head>
<body>${before}<div id="root">${isServed ? renderToString(app) : ''}</div>
<script type="application/json" id="wanted">${told}</script><script type="module" src="/page.js"></script></body></html>`
  }
}
