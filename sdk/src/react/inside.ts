/** A poll or a campaign, as it was read by somebody else. */
export interface Given {
  readonly title: string
}

/** As high as what the elements show until there is a poll. In attributes, since a strict page forbids inline styles. */
const ROOM = '<svg aria-hidden="true" display="block" width="100%" height="208"></svg>'

/** What stands in an element before its script has come: data for it, room, and a link where no script runs. */
export function insideOf(given: Given | undefined, page: string): string {
  const data = given
    ? `<script type="application/json">${JSON.stringify(given).replaceAll('<', '\\u003c')}</script>`
    : ''
  const link = `<noscript><a href="${escaped(page)}">${escaped(given?.title ?? page)}</a></noscript>`
  return data + ROOM + link
}

const escaped = (text: string): string => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)
