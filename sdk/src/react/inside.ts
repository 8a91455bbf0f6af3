/** A poll or a campaign that was read elsewhere. */
export interface Given {
  readonly title: string
}

/** The height of the elements' placeholder. In attributes, because strict policies forbid inline styles. */
const ROOM = '<svg aria-hidden="true" display="block" width="100%" height="208"></svg>'

/** The content of an element before its script is loaded: data, reserved space, and a link for pages without scripts. */
export function insideOf(given: Given | undefined, page: string): string {
  const data = given
    ? `<script type="application/json">${JSON.stringify(given).replaceAll('<', '\\u003c')}</script>`
    : ''
  const link = `<noscript><a href="${escaped(page)}">${escaped(given?.title ?? page)}</a></noscript>`
  return data + ROOM + link
}

const escaped = (text: string): string => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)
