import type { Page } from 'playwright-core'

/** A third-party page on another origin than the service, with a strict Content-Security-Policy. */
export const HOST_POLICY = (service: string): string =>
  [
    "default-src 'none'",
    `script-src ${service}`,
    `connect-src ${service}`,
    `img-src ${service}`,
    `font-src ${service}`,
    `frame-src ${service}`,
    "base-uri 'none'",
  ].join('; ')

/** Serves one document to everyone, on an origin of its own. */
export class HostSite {
  readonly #server: Bun.Server<undefined>
  body = ''

  constructor(policy: string) {
    this.#server = Bun.serve({
      hostname: 'localhost',
      port: 0,
      fetch: () =>
        new Response(
          `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Somebody's page</title></head><body>${this.body}</body></html>`,
          { headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy } },
        ),
    })
  }

  get url(): string {
    return `http://localhost:${this.#server.port}/`
  }

  stop = (): Promise<void> => this.#server.stop(true)
}

/** Collects the page's problems: policy violations, script errors and failed requests. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  return complaints
}
