import { type Html, html } from '../../../../embed/src/render/html.ts'
import { isWebAddress } from '../../../../embed/src/render/picture.ts'
import { cardVersion } from './cards/card.ts'
import { CARD_HEIGHT, CARD_WIDTH } from './cards/card-layout.ts'
import type { PageKind, Subject } from './page.ts'

export const cardUrl = ({ address, card }: Pick<Subject, 'address' | 'card'>): string =>
  `${address}/card.jpg?v=${cardVersion(card)}`

/** Metadata for search engines and messengers. A framed page points to its hosted page and is not indexed. */
export function shareTags(subject: Subject, kind: PageKind, publicUrl: string): Html {
  const { title, description, address, isListed, brandName, theme } = subject
  const { faviconUrl } = theme
  const icon = html`<link rel="icon" href="${isWebAddress(faviconUrl) ? faviconUrl : 'data:,'}">`
  const always = html`${!(isListed && kind === 'page') && html`<meta name="robots" content="noindex">`}<link rel="canonical" href="${address}">${icon}`
  // The address of a preview is the key to it.
  if (kind === 'preview') return html`${always}<meta name="referrer" content="no-referrer">`
  if (kind === 'frame') return always
  const picture = cardUrl(subject)
  const alt = `${title} ${description}`
  const embedding = `${publicUrl}/oembed?format=json&url=${encodeURIComponent(address)}`
  return html`${always}<meta name="description" content="${description}"><meta property="og:type" content="website"><meta property="og:site_name" content="${brandName}"><meta property="og:title" content="${title}"><meta property="og:description" content="${description}"><meta property="og:url" content="${address}"><meta property="og:image" content="${picture}"><meta property="og:image:type" content="image/jpeg"><meta property="og:image:width" content="${CARD_WIDTH}"><meta property="og:image:height" content="${CARD_HEIGHT}"><meta property="og:image:alt" content="${alt}"><meta name="twitter:card" content="summary_large_image"><meta name="twitter:image" content="${picture}"><meta name="twitter:image:alt" content="${alt}"><link rel="alternate" type="application/json+oembed" href="${embedding}" title="${title}">`
}
