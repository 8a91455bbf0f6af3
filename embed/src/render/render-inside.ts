import type { PollView, RenderOptions, ThemeView } from '../poll-view.ts'
import { wordsOf } from '../words.ts'
import { type Html, html } from './html.ts'
import { renderPoll } from './render-poll.ts'

interface Saying {
  /** The error that everybody sees. */
  readonly notice?: string
  /** Whether it can be tried again. */
  readonly canRetry?: boolean
  /** Read out by screen readers. */
  readonly said?: string
}

export const retryButton = (lang = 'en'): Html =>
  html` <button class="retry" type="button" data-retry>${wordsOf(lang).retry}</button>`

/** The content of an element's root. The server sends exactly what the element would render. */
export const renderInside = (
  poll: PollView,
  theme: ThemeView,
  { notice = '', canRetry = false, said = '', ...options }: RenderOptions & Saying,
): string =>
  renderPoll(poll, theme, options) +
  html`<p class="notice" role="alert">${notice}${canRetry && retryButton(options.lang)}</p><p class="spoken" role="status">${said}</p>`.toString()
