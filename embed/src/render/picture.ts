import type { ImageVariant, PollView } from '../poll-view.ts'
import { type Html, html } from './html.ts'

interface Picture {
  readonly url: string | null
  readonly alt: string | null
  readonly slot: ImageVariant['slot']
  readonly isFirst: boolean
}

/** Null where there is no picture, or one that a page must not load. */
export function picture(
  { imageVariants }: Pick<PollView, 'imageVariants'>,
  { url, alt, slot, isFirst }: Picture,
): Html | null {
  if (!isWebAddress(url)) return null
  const variants = imageVariants.filter((variant) => variant.slot === slot && isWebAddress(variant.url))
  const srcset = variants.map((variant) => `${inSrcset(variant.url)} ${variant.width}w`).join(', ')
  const [sizes, width] =
    slot === 'combined' ? ['(max-width: 36rem) 100vw, 36rem', 576] : ['(max-width: 30rem) 50vw, 18rem', 288]
  const responsive = srcset !== '' && html` srcset="${srcset}" sizes="${sizes}"`
  const turn = isFirst ? html` fetchpriority="high"` : html` loading="lazy"`
  return html`<span class="frame"><img class="picture"${turn} src="${url}"${responsive} width="${width}" height="288" alt="${alt ?? ''}" decoding="async"></span>`
}

export const isWebAddress = (url: string | null): url is string => url !== null && /^(https?:\/\/|\/(?!\/))/i.test(url)

/** In `srcset`, spaces separate an address from its width and commas separate candidates. */
const inSrcset = (url: string): string => url.replace(/[\s,]/g, encodeURIComponent)
