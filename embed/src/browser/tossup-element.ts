import type { Theme } from '../../../sdk/src/openapi.ts'
import { LOOKS, type Looks, themeWith } from '../looks.ts'
import { isSpoken, langOf, learn } from '../words.ts'
import { readWords } from './service.ts'
import { plainSheets, pollSheet, sheetsOf } from './styles.ts'
import { waiting } from './waiting.ts'

const LOOK_ATTRIBUTES = LOOKS.map((name) => name.toLowerCase())

/** What the elements have in common: a root of their own, how they are told to look, and how they tell. */
export abstract class TossupElement extends HTMLElement {
  static observedAttributes: readonly string[] = LOOK_ATTRIBUTES
  protected readonly root: ShadowRoot
  /** The server may have sent the root along, dressed and with everything in it. */
  readonly #isServed: boolean
  #worn = ''
  #isBegun = false

  constructor() {
    super()
    this.#isServed = this.shadowRoot !== null
    this.root = this.shadowRoot ?? this.attachShadow({ mode: 'open' })
  }

  /** With what the page brought along, or null. */
  protected abstract begin(given: unknown): void
  protected abstract end(): void
  protected abstract show(): void

  connectedCallback(): void {
    if (!this.#isServed) {
      this.root.adoptedStyleSheets = plainSheets()
      this.inside.innerHTML = waiting(this.looks, null)
    }
    this.restart()
  }

  disconnectedCallback(): void {
    this.#isBegun = false
    this.end()
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (!this.#isBegun || before === after) return
    if (!LOOK_ATTRIBUTES.includes(name)) this.restart()
    else void this.#speak().then(() => this.#isBegun && this.show())
  }

  protected restart(): void {
    if (this.#isBegun) this.disconnectedCallback()
    this.#isBegun = true
    const given = this.#given()
    void this.#prepare().then(
      () => this.#isBegun && this.begin(given),
      () => this.fail('NETWORK_ERROR'),
    )
  }

  /** There is nothing to show: it is said, and can be tried again. */
  protected fail(code: string): void {
    this.inside.innerHTML = waiting(this.looks, 'unavailable')
    this.inside.querySelector('[data-retry]')?.addEventListener('click', () => this.restart(), { once: true })
    this.tell('error', { code })
  }

  /** Where what is shown stands, beside the styles that the server may have put into the root. */
  protected get inside(): Element {
    const present = this.root.querySelector('.inside')
    if (present) return present
    const inside = document.createElement('div')
    inside.className = 'inside'
    return this.root.appendChild(inside)
  }

  protected get looks(): Looks {
    return { ...Object.fromEntries(LOOKS.map((name) => [name, this.getAttribute(name)])), lang: this.language }
  }

  /** That of the page around it, unless it has one of its own. */
  protected get language(): string {
    return this.closest('[lang]')?.getAttribute('lang') || 'en'
  }

  protected async dress(theme: Theme): Promise<void> {
    const { accent, background, foreground, customCssUrl } = themeWith(theme, this.looks)
    const look = JSON.stringify([accent, background, foreground, customCssUrl])
    if (this.#worn === look) return
    const isFirst = this.#worn === ''
    this.#worn = look
    if (!(this.#isServed && isFirst)) this.root.adoptedStyleSheets = await sheetsOf(themeWith(theme, this.looks))
  }

  protected tell(name: 'ready' | 'voted' | 'step' | 'completed' | 'error', detail: object): void {
    this.dispatchEvent(new CustomEvent(`tossup:${name}`, { bubbles: true, composed: true, detail }))
  }

  /** No poll is shown before what keeps it in its shape is there. */
  async #prepare(): Promise<void> {
    const [sheet] = await Promise.all([this.#isServed ? null : pollSheet(), this.#speak()])
    if (sheet && this.#worn === '') this.root.adoptedStyleSheets = [...plainSheets(), sheet]
  }

  /** A language that does not come leaves English words around the brand's own. */
  async #speak(): Promise<void> {
    const lang = langOf(this.language)
    const words = isSpoken(lang) ? null : await readWords(lang).catch(() => null)
    if (words) learn(lang, words)
  }

  #given(): unknown {
    const data = this.querySelector(':scope > script[type="application/json"]')
    data?.remove()
    return data ? JSON.parse(data.textContent) : null
  }
}
