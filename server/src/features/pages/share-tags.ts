import { type Html, html } from '../../../../embed/src/html.ts'
import { isWebAddress } from '../../../../embed/src/picture.ts'
import type { BrandedPoll, PageKind } from './page.ts'

/** What search engines and messengers read. The same poll in a frame points to its page, and is not listed itself. */
export function shareTags(poll: BrandedPoll, kind: PageKind): Html {
  const { faviconUrl } = poll.brand.theme
  const icon = html`<link rel="icon" href="${faviconUrl && isWebAddress(faviconUrl) ? faviconUrl : 'data:,'}">`
  const canonical = html`<link rel="canonical" href="${poll.shareUrl}">`
  if (kind === 'frame') return html`<meta name="robots" content="noindex">${[canonical, icon]}`
  const description = `${poll.optionA.label} · ${poll.optionB.label}`
  const picture = [poll.images.combined, poll.optionA.imageUrl, poll.optionB.imageUrl].find(isWebAddress)
  return html`${[
    poll.isPrivate && html`<meta name="robots" content="noindex">`,
    canonical,
    icon,
    html`<meta name="description" content="${description}"><meta property="og:type" content="website"><meta property="og:site_name" content="${poll.brand.name}"><meta property="og:title" content="${poll.title}"><meta property="og:description" content="${description}"><meta property="og:url" content="${poll.shareUrl}">`,
    picture && html`<meta property="og:image" content="${picture}">`,
    html`<meta name="twitter:card" content="${picture ? 'summary_large_image' : 'summary'}">`,
  ]}`
}
