import { type Html, html } from '../../../../embed/src/html.ts'
import { isWebAddress } from '../../../../embed/src/picture.ts'
import type { PageKind, Subject } from './page.ts'

/** What search engines and messengers read. What stands in a frame points to its page, and is not listed itself. */
export function shareTags(subject: Subject, kind: PageKind): Html {
  const { title, description, address, picture, isListed, brandName, theme } = subject
  const { faviconUrl } = theme
  const icon = html`<link rel="icon" href="${isWebAddress(faviconUrl) ? faviconUrl : 'data:,'}">`
  const always = html`${!(isListed && kind === 'page') && html`<meta name="robots" content="noindex">`}<link rel="canonical" href="${address}">${icon}`
  if (kind === 'frame') return always
  return html`${always}<meta name="description" content="${description}"><meta property="og:type" content="website"><meta property="og:site_name" content="${brandName}"><meta property="og:title" content="${title}"><meta property="og:description" content="${description}"><meta property="og:url" content="${address}">${
    isWebAddress(picture) && html`<meta property="og:image" content="${picture}">`
  }<meta name="twitter:card" content="${isWebAddress(picture) ? 'summary_large_image' : 'summary'}">`
}
