import { type Html, html } from './html.ts'
import type { PollView, RenderOptions, ThemeView } from './poll-view.ts'
import { renderPoll } from './render-poll.ts'
import { wordsOf } from './words.ts'

interface Saying {
  /** What went wrong, for everybody. */
  readonly notice?: string
  /** Whether it can be tried again. */
  readonly canRetry?: boolean
  /** What somebody who does not see is told. */
  readonly said?: string
}

export const retryButton = (lang = 'en'): Html =>
  html` <button class="retry" type="button" data-retry>${wordsOf(lang).retry}</button>`

/** All that stands in the root of an element: the server sends what the element would make of it. */
export const renderInside = (
  poll: PollView,
  theme: ThemeView,
  { notice = '', canRetry = false, said = '', ...options }: RenderOptions & Saying,
): string =>
  renderPoll(poll, theme, options) +
  html`<p class="notice" role="alert">${notice}${canRetry && retryButton(options.lang)}</p><p class="spoken" role="status">${said}</p>`.toString()
