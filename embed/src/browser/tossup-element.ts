import type { Theme } from '../../../sdk/src/openapi.ts'
import { LOOKS, type Looks, themeWith } from '../theme/looks.ts'
import { isSpoken, langOf, learn, type Trouble } from '../words.ts'
import { loadDress } from './parts.ts'
import { patch } from './patch.ts'
import { appendDiv } from './result/append-div.ts'
import { readWords } from './service.ts'
import { plainSheets, pollSheet, sheetsOf } from './styles.ts'
import { heedStorage } from './votes/page-store.ts'
import { inTurn } from './votes/turns.ts'
import { waiting } from './waiting.ts'

/** The base of all elements: shadow root, attributes and events. */
export abstract class TossupElement extends HTMLElement {
  static observedAttributes = ['poll', 'campaign', 'brand', ...LOOKS.map((name) => name.toLowerCase())]
  readonly root: ShadowRoot
  /** The server may have rendered the root, with styles and content. */
  readonly isServed: boolean
  /** Increases with each start and stop, so that late answers are ignored. */
  run = 0
  #worn = ''
  #isBegun = false
  #trouble: Trouble | null = null

  constructor() {
    super()
    this.isServed = this.shadowRoot !== null
    this.root = this.shadowRoot ?? this.attachShadow({ mode: 'open' })
  }

  /** The attribute that names the subject. */
  abstract readonly named: 'poll' | 'campaign' | 'brand'
  /** Called with the subject's name and the data that the page included, or null. */
  abstract begin(reference: string, given: unknown): void
  abstract end(): void
  abstract show(): void

  connectedCallback(): void {
    // Moved to another place of the page, whose language may be another.
    if (this.#isBegun) {
      this.#lookAgain()
      return
    }
    this.#isBegun = true
    heedStorage(this)
    addEventListener('online', this.#retry)
    // A hosted page has one poll, which works at once.
    if (this.isServed) this.restart()
    else {
      this.draw(() => {
        this.root.adoptedStyleSheets = plainSheets()
        patch(this.inside, waiting(this.looks, null))
        this.#inTurn(() => this.restart())
      })
    }
  }

  disconnectedCallback(): void {
    // A moved element is connected again by then.
    setTimeout(() => {
      if (this.isConnected) return
      removeEventListener('online', this.#retry)
      this.#stop()
    })
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (!this.#isBegun || before === after) return
    if (name === this.named) this.restart()
    else this.#lookAgain()
  }

  /** Does a work of drawing. If it fails, the element shows its own content instead, usually a link. */
  draw(work: () => void): void {
    try {
      work()
    } catch {
      this.#stop()
      this.root.replaceChildren(document.createElement('slot'))
      // Scripts of the page may listen only after the element has come.
      setTimeout(() => this.tell('error', { code: 'RENDER_FAILED' }))
    }
  }

  restart(): void {
    this.#stop()
    this.#isBegun = true
    const { run } = this
    const given = this.#given()
    void this.#prepare().then(
      () => {
        if (run !== this.run) return
        if (this.isServed) this.#open(given)
        else this.#inTurn(() => this.#open(given))
      },
      () => run === this.run && this.fail('unreachable', 'NETWORK_ERROR'),
    )
  }

  #open(given: unknown): void {
    const reference = this.getAttribute(this.named)
    if (reference) this.begin(reference, given)
    else this.fail('unnamed', 'VALIDATION_ERROR')
  }

  /** Unless the element is started again, or removed, before its turn. */
  #inTurn(work: () => void): void {
    const { run } = this
    inTurn(this, () => run === this.run && work())
  }

  /** Shows an error, with a retry button where retrying may help. */
  fail(trouble: Trouble, code: string): void {
    this.#trouble = trouble
    this.#complain()
    this.tell('error', { code })
  }

  #stop(): void {
    if (this.#isBegun) this.end()
    this.#isBegun = false
    this.#trouble = null
    this.run++
  }

  #complain(): void {
    patch(this.inside, waiting(this.looks, this.#trouble))
    this.inside.querySelector('[data-retry]')?.addEventListener('click', this.#retry)
  }

  #lookAgain(): void {
    heedStorage(this)
    const show = () => {
      if (this.#trouble) this.#complain()
      else if (this.#isBegun) this.show()
    }
    void this.#speak().then(show, show)
  }

  #retry = (): void => {
    if (this.#trouble === 'unreachable') this.restart()
  }

  /** The content node, beside the styles that the server may have put into the root. */
  get inside(): Element {
    return this.root.querySelector('.inside') ?? appendDiv(this.root, 'inside')
  }

  get looks(): Looks {
    return { ...Object.fromEntries(LOOKS.map((name) => [name, this.getAttribute(name)])), lang: this.language }
  }

  /** The page's language, unless the element sets its own. */
  get language(): string {
    return this.closest('[lang]')?.getAttribute('lang') || 'en'
  }

  async dress(theme: Theme): Promise<void> {
    const worn = themeWith(theme, this.looks)
    const look = JSON.stringify(worn)
    if (this.#worn === look) return
    const isFirst = this.#worn === ''
    this.#worn = look
    if (!(this.isServed && isFirst)) this.root.adoptedStyleSheets = await sheetsOf(worn, this)
  }

  tell(name: 'ready' | 'voted' | 'step' | 'completed' | 'error', detail: object): void {
    for (const mark of ':-') {
      this.dispatchEvent(new CustomEvent(`tossup${mark}${name}`, { bubbles: true, composed: true, detail }))
    }
  }

  /** No poll is shown before its integrity styles are loaded. */
  async #prepare(): Promise<void> {
    if (!this.isServed) void loadDress()
    const [sheet] = await Promise.all([this.isServed ? null : pollSheet(), this.#speak()])
    if (sheet && this.#worn === '') this.root.adoptedStyleSheets = [...plainSheets(), sheet]
  }

  async #speak(): Promise<void> {
    const lang = langOf(this.language)
    if (!isSpoken(lang)) learn(lang, await readWords(lang))
  }

  /** The data that a page includes: the subject and, on hosted pages, the words around it. */
  #given(): unknown {
    const script = this.querySelector(':scope > script[type="application/json"]')
    script?.remove()
    if (!script) return null
    const given = JSON.parse(script.textContent)
    if (given.words) learn(langOf(this.language), given.words)
    return given
  }
}
