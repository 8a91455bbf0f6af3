import { html } from './html.ts'
import type { PollView, RenderOptions, ThemeView } from './poll-view.ts'
import { renderPoll } from './render-poll.ts'

interface Saying {
  /** What went wrong, for everybody. */
  readonly notice?: string
  /** What somebody who does not see is told. */
  readonly said?: string
}

/** All that stands in the root of an element: the server sends what the element would make of it. */
export const renderInside = (
  poll: PollView,
  theme: ThemeView,
  { notice = '', said = '', ...options }: RenderOptions & Saying,
): string =>
  renderPoll(poll, theme, options) +
  html`<p class="notice" role="alert">${notice}</p><p class="spoken" role="status">${said}</p>`.toString()
