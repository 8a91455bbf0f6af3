import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, CDPSession, Page } from 'playwright-core'
import type { PollView, RenderOptions, ThemeView } from '../src/poll-view.ts'
import { renderPoll } from '../src/render/render-poll.ts'
import { stylesheet } from '../src/theme/stylesheet.ts'
import { themeStyles } from '../src/theme/theme-styles.ts'
import { typefaceStyles } from '../src/theme/typeface.ts'
import { pictureBytes, SITE } from './samples.ts'

export interface Scene {
  readonly poll: PollView
  readonly theme: ThemeView
  readonly options?: RenderOptions
  /** A brand's stylesheet, as it is served. */
  readonly brandCss?: string
  readonly scheme?: 'light' | 'dark'
  /** For a visitor without reduced motion; a screenshot may then be taken too early. */
  readonly isMoving?: boolean
  /** Replaces our own stylesheet. */
  readonly styles?: string
}

interface PageSize {
  readonly width: number
  readonly height: number
  readonly isBeyondView: boolean
}

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; font-src 'self'"
const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Poll</title><style>
:root { color-scheme: light dark } body { margin: 0; background: light-dark(#e7e5e4, #0c0a09) } ${typefaceStyles('')}</style><body></body></html>`

/** Calls of what this defines are made for each stylesheet: the page compiles it once. */
const IN_PAGE = readFileSync(new URL('in-page.js', import.meta.url), 'utf8')

/** A loaded picture may not be decoded yet. */
const DECODED = `Promise.all([...document.querySelector('#host').shadowRoot.querySelectorAll('img')].map((image) => image.decode()))`

const typefacePath = (subset: string): string =>
  fileURLToPath(import.meta.resolve(`@fontsource-variable/manrope/files/manrope-${subset}-wght-normal.woff2`))

/** A page of a site that shows a poll as embeds do: in a shadow root. */
export class Stage {
  readonly page: Page
  readonly #devtools: CDPSession

  private constructor(page: Page, devtools: CDPSession) {
    this.page = page
    this.#devtools = devtools
  }

  static async open(browser: Browser, size = { width: 460, height: 700 }): Promise<Stage> {
    const page = await browser.newPage({ viewport: size })
    await page.route('**/*', (route) => {
      const { pathname } = new URL(route.request().url())
      if (pathname === '/') {
        const headers = { 'Content-Security-Policy': POLICY }
        return route.fulfill({ contentType: 'text/html; charset=utf-8', headers, body: PAGE })
      }
      if (/^\/\w+\.webp$/.test(pathname)) {
        return route.fulfill({ contentType: 'image/webp', body: pictureBytes(pathname.slice(1)) })
      }
      const [, subset] = /^\/embed\/fonts\/manrope-[\d.]+-([a-z-]+)\.woff2$/.exec(pathname) ?? []
      if (subset) return route.fulfill({ contentType: 'font/woff2', path: typefacePath(subset) })
      return route.abort()
    })
    await page.goto(`${SITE}/`)
    await page.evaluate(IN_PAGE)
    return new Stage(page, await page.context().newCDPSession(page))
  }

  /** The brand's stylesheet comes first, where it has most effect: the order of layers must not depend on its position. */
  async show({ poll, theme, options, brandCss = '', scheme = 'light', isMoving, styles = stylesheet }: Scene) {
    await this.page.emulateMedia({ colorScheme: scheme, reducedMotion: isMoving ? 'no-preference' : 'reduce' })
    const sheets = [brandCss, styles, themeStyles(theme)].map((css) => `<style>${css}</style>`).join('')
    const shown = renderPoll(
      poll,
      { ...theme, customCssUrl: brandCss ? 'brand.css' : null },
      { isFirst: true, ...options },
    )
    // The markup of `tossup-element.ts`, with the parts that a campaign can put beside a poll.
    const inside = `${sheets}<div class="inside"><div class="stepper"></div><div class="card">${shown}</div><div class="farewell"></div></div>`
    const host = `<div id="start" tabindex="-1"></div><div id="host"><template shadowrootmode="open">${inside}</template></div>`
    await this.page.evaluate(
      `document.body.setHTMLUnsafe(${JSON.stringify(host)}); document.querySelector('#start').focus(); ${DECODED}.then(() => document.fonts.ready)`,
    )
  }
  /** The whole page as a PNG in base64. Playwright's own screenshots compress for three times as long, with the same pixels. */
  async screenshot(): Promise<string> {
    const { width, height, isBeyondView } = (await this.page.evaluate('globalThis.poll.pageSize()')) as PageSize
    const { data } = await this.#devtools.send('Page.captureScreenshot', {
      format: 'png',
      optimizeForSpeed: true,
      captureBeyondViewport: isBeyondView,
      // The page is laid out again for a clip.
      ...(isBeyondView && { clip: { x: 0, y: 0, width, height, scale: 1 } }),
    })
    return data
  }
}
