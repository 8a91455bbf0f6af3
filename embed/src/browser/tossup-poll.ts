import { html } from '../html.ts'
import { LOOKS, type Looks, renderOptionsOf, themeWith } from '../looks.ts'
import type { Choice } from '../poll-view.ts'
import { renderInside } from '../render-inside.ts'
import { areResultsShown, sharesOf } from '../results.ts'
import { directionOf, isSpoken, langOf, learn, votesIn, wordsOf } from '../words.ts'
import { patch } from './patch.ts'
import { PollModel, type PollState } from './poll-model.ts'
import { type ServedPoll, Service } from './service.ts'
import { plainSheets, sheetsOf } from './styles.ts'

const service = new Service(new URL(import.meta.url).origin)

/** `<tossup-poll poll="…">`: a poll that can be voted on, wherever it stands. */
export class TossupPoll extends HTMLElement {
  static readonly observedAttributes = ['poll', ...LOOKS.map((name) => name.toLowerCase())]
  readonly #root: ShadowRoot
  /** The server may have sent the root along, dressed and with the poll in it. */
  readonly #isServed: boolean
  #model: PollModel | null = null
  #worn = ''
  #isReady = false
  #said = ''

  constructor() {
    super()
    this.#isServed = this.shadowRoot !== null
    this.#root = this.shadowRoot ?? this.attachShadow({ mode: 'open' })
    this.#root.addEventListener('click', (event) => this.#clicked(event.target))
  }

  connectedCallback(): void {
    if (!this.#isServed) this.#root.adoptedStyleSheets = plainSheets()
    this.#begin()
  }

  disconnectedCallback(): void {
    this.#model?.stop()
    this.#model = null
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (!this.#model || before === after) return
    if (name === 'poll') this.#begin()
    else void this.#speak().then(() => this.#model && this.#show(this.#model.state))
  }

  #begin(): void {
    this.disconnectedCallback()
    const reference = this.getAttribute('poll')
    if (!reference) return
    this.#isReady = false
    const model = new PollModel(service, reference, {
      changed: (state) => this.#show(state),
      voted: (vote) => {
        this.#announce(model.state)
        this.#tell('voted', vote)
      },
      failed: (error) => this.#tell('error', error),
    })
    this.#model = model
    const given = this.#given()
    if (!given) this.#show(model.state)
    void this.#speak().then(() => model.start(given))
  }

  /** A language that does not come leaves English words around the brand's own. */
  async #speak(): Promise<void> {
    const lang = langOf(this.#lang())
    const words = isSpoken(lang) ? null : await service.readWords(lang).catch(() => null)
    if (words) learn(lang, words)
  }

  #given(): ServedPoll | null {
    const data = this.querySelector(':scope > script[type="application/json"]')
    data?.remove()
    return data ? JSON.parse(data.textContent) : null
  }

  #clicked(target: EventTarget | null): void {
    if (!(target instanceof Element)) return
    if (target.closest('[data-retry]')) this.#begin()
    const option = target.closest('[data-option]')?.getAttribute('data-option')
    if (option) void this.#model?.vote(option as Choice)
  }

  #show(state: PollState): void {
    const template = document.createElement('template')
    template.innerHTML = state.poll ? this.#pollOf(state.poll, state) : this.#waiting(state)
    patch(this.#inside(), template.content)
    if (state.poll) void this.#dress(state.poll)
  }

  #pollOf(poll: ServedPoll, { vote, trouble }: PollState): string {
    const notice = trouble ? wordsOf(this.#lang())[trouble] : ''
    const options = { ...renderOptionsOf(this.#looks()), vote, notice, said: this.#said }
    return renderInside(poll, themeWith(poll.brand.theme, this.#looks()), options)
  }

  #waiting({ trouble }: PollState): string {
    const lang = langOf(this.#lang())
    const words = wordsOf(lang)
    const inside = trouble
      ? html`<p class="notice" role="alert">${words[trouble]} <button class="retry" type="button" data-retry>${words.retry}</button></p>`
      : html`<span class="spoken">${words.loading}</span>`
    return html`<div class="waiting" lang="${lang}" dir="${directionOf(lang)}">${inside}</div>`.toString()
  }

  /** Beside the styles that the server may have put into the root. */
  #inside(): Element {
    const present = this.#root.querySelector('.inside')
    if (present) return present
    const inside = document.createElement('div')
    inside.className = 'inside'
    return this.#root.appendChild(inside)
  }

  async #dress({ shortId, brand }: ServedPoll): Promise<void> {
    const theme = themeWith(brand.theme, this.#looks())
    const look = JSON.stringify([theme.accent, theme.background, theme.foreground, theme.customCssUrl])
    if (this.#worn !== look) {
      const isFirst = this.#worn === ''
      this.#worn = look
      if (!(this.#isServed && isFirst)) this.#root.adoptedStyleSheets = await sheetsOf(theme)
    }
    if (this.#isReady) return
    this.#isReady = true
    this.#tell('ready', { poll: shortId })
  }

  /** What somebody who does not see hears once, after the vote: not each count that comes by. */
  #announce(state: PollState): void {
    const { poll, vote } = state
    if (!poll || !vote) return
    const lang = this.#lang()
    const shares = sharesOf(poll)
    const results = `${poll.optionA.label} ${shares.A}%, ${poll.optionB.label} ${shares.B}%, ${votesIn(lang, poll.tallies.total)}`
    this.#said = areResultsShown(poll, vote) ? results : wordsOf(lang).thanks
    this.#show(state)
  }

  #tell(name: 'ready' | 'voted' | 'error', detail: object): void {
    const poll = this.#model?.state.poll?.shortId ?? this.getAttribute('poll')
    const init = { bubbles: true, composed: true, detail: { poll, ...detail } }
    this.dispatchEvent(new CustomEvent(`tossup:${name}`, init))
  }

  #looks = (): Looks => ({
    ...Object.fromEntries(LOOKS.map((name) => [name, this.getAttribute(name)])),
    lang: this.#lang(),
  })

  /** The language of the page around it, unless it has one of its own. */
  #lang = (): string => this.closest('[lang]')?.getAttribute('lang') || 'en'
}
