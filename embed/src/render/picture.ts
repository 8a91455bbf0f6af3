import type { ImageVariant, OptionView, PollView } from '../poll-view.ts'
import { type Html, html } from './html.ts'

interface Picture {
  readonly url: string | null
  readonly alt: string | null
  readonly slot: ImageVariant['slot']
  readonly isFirst: boolean
  /** How it lies in its frame; absent where it is always in the middle. */
  readonly place?: OptionView
  /** How wide it is shown, where it is not as wide as on a card. */
  readonly sizes?: string
}

/** Null where there is no picture, or one that a page must not load. */
export function picture(
  { imageVariants }: Pick<PollView, 'imageVariants'>,
  { url, alt, slot, isFirst, place, sizes: shown }: Picture,
): Html | null {
  if (!isWebAddress(url)) return null
  const variants = imageVariants.filter((variant) => variant.slot === slot && isWebAddress(variant.url))
  const srcset = variants.map((variant) => `${inSrcset(variant.url)} ${variant.width}w`).join(', ')
  const [sizes, width] =
    slot === 'combined' ? ['(max-width: 36rem) 100vw, 36rem', 576] : ['(max-width: 30rem) 50vw, 18rem', 288]
  const responsive = srcset !== '' && html` srcset="${srcset}" sizes="${shown ?? sizes}"`
  const turn = isFirst ? html` fetchpriority="high"` : html` loading="lazy"`
  // Attributes, since a policy may forbid styles of single elements.
  const lies = place && html` data-fit="${place.fit}" data-at="${stepOf(place.focusX)} ${stepOf(place.focusY)}"`
  return html`<span class="frame"><img class="picture"${[turn, lies]} src="${url}"${responsive} width="${width}" height="288" alt="${alt ?? ''}" decoding="async"></span>`
}

/** Steps of 5 %, each of which has a rule: see focus-css.ts. */
const stepOf = (part = 0.5): number => Math.round(part * 20)

export const isWebAddress = (url: string | null): url is string => url !== null && /^(https?:\/\/|\/(?!\/))/i.test(url)

/** In `srcset`, spaces separate an address from its width and commas separate candidates. */
const inSrcset = (url: string): string => url.replace(/[\s,]/g, encodeURIComponent)
