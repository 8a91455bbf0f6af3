import { type Html, html } from '../../../../embed/src/render/html.ts'
import { isWebAddress } from '../../../../embed/src/render/picture.ts'
import { renderBrandHead } from '../../../../embed/src/render/render-brand-head.ts'
import brandSheet from '../../../../embed/src/styles/brand-page.css' with { type: 'text' }
import pageSheet from '../../../../embed/src/styles/page.css' with { type: 'text' }
import { compactCss } from '../../../../embed/src/theme/compact-css.ts'
import { isSet, type Looks, renderOptionsOf, schemeOf, themeWith } from '../../../../embed/src/theme/looks.ts'
import { elementStylesheet } from '../../../../embed/src/theme/stylesheet.ts'
import { pageThemeStyles, themeStyles } from '../../../../embed/src/theme/theme-styles.ts'
import { typefaceAddress, typefaceStyles } from '../../../../embed/src/theme/typeface.ts'
import { directionOf, langOf, wordsOf } from '../../../../embed/src/words.ts'
import { partAddress } from './assets/asset-routes.ts'
import { cardVersion } from './cards/card.ts'
import { CARD_HEIGHT, CARD_WIDTH } from './cards/card-layout.ts'
import {
  CODE_SCRIPT,
  EARLY_TAP_SCRIPT,
  elsewhereNote,
  FRAME_SCRIPT,
  ORDER_SCRIPT,
  SHARE_SCRIPT,
} from './inline-scripts.ts'
import { inScript, PAGE_LOOKS, type Page, type PageKind, type Subject, sourceHash } from './page.ts'

export const cardUrl = ({ address, card }: Pick<Subject, 'address' | 'card'>): string =>
  `${address}/card.jpg?v=${cardVersion(card)}${card.answer ? `&side=${card.answer.side}&lang=${card.answer.lang}` : ''}`

/** Metadata for search engines and messengers. A framed page points to its hosted page and is not indexed. */
function shareTags(subject: Subject, kind: PageKind, publicUrl: string): Html {
  const { title, description, address, isListed, brandName, theme, profile } = subject
  const { faviconUrl } = theme
  const icon = html`<link rel="icon" href="${isWebAddress(faviconUrl) ? faviconUrl : 'data:,'}">`
  const always = html`${!(isListed && kind === 'page') && html`<meta name="robots" content="noindex">`}<link rel="canonical" href="${address}">${icon}`
  // The address of a preview is the key to it.
  if (kind === 'preview') return html`${always}<meta name="referrer" content="no-referrer">`
  if (kind === 'frame') return always
  const picture = cardUrl(subject)
  const { answer, note } = subject.card
  const alt = `${title} ${description}${answer ? `. ${note}` : ''}`
  // Networks read the page again at this address: without the side they would show another picture.
  const shared = answer ? `${address}?side=${answer.side}` : address
  const embedding = `${publicUrl}/oembed?format=json&url=${encodeURIComponent(address)}`
  return html`${always}<meta name="description" content="${description}"><meta property="og:type" content="website"><meta property="og:site_name" content="${brandName}"><meta property="og:title" content="${title}"><meta property="og:description" content="${description}"><meta property="og:url" content="${shared}"><meta property="og:image" content="${picture}"><meta property="og:image:type" content="image/jpeg"><meta property="og:image:width" content="${CARD_WIDTH}"><meta property="og:image:height" content="${CARD_HEIGHT}"><meta property="og:image:alt" content="${alt}"><meta name="twitter:card" content="summary_large_image"><meta name="twitter:image" content="${picture}"><meta name="twitter:image:alt" content="${alt}"><link rel="alternate" type="application/json+oembed" href="${embedding}" title="${title}">${profile && html`<link rel="alternate" type="application/atom+xml" href="${address}/feed.atom" title="${title}">`}`
}

/** Without scripts only the QR code is shown; unsupported ways of sharing are hidden. */
function shareRow({ address, link }: Pick<Subject, 'address' | 'link'>, lang: string): string {
  const { share, copyLink, copied, qrCode } = wordsOf(lang)
  const code = `${new URL(address).pathname}/qr?lang=${langOf(lang)}`
  const row = html`<footer class="sharing" data-url="${link}" data-copied="${copied}"><button type="button" hidden>${share}</button><button type="button" hidden>${copyLink}</button><a href="${code}">${qrCode}</a><p aria-live="polite"></p>`
  return `${row}<script>${SHARE_SCRIPT}</script></footer>`
}

const pageStyles = compactCss([pageSheet, brandSheet].join('\n'))
const elementStyles = compactCss(elementStylesheet)
const commonHashes = [pageStyles, elementStyles].map(sourceHash)
const typeface = typefaceStyles('')

const EARLY_FONT = html`<link rel="preload" as="font" type="font/woff2" crossorigin href="${typefaceAddress('latin')}">`

/** The field for a code is there soon after the poll. */
const CODE_PARTS = ['before', 'code'] as const

interface Place {
  readonly kind: PageKind
  readonly publicUrl: string
  /** The build of the scripts: a list preloads its part by this name. */
  readonly build: string
}

/** Inside `main`: nothing where the brand is named above it. */
function headingOf(subject: Subject, isNamed: boolean): Html {
  if (isNamed) return renderBrandHead(subject)
  return html`${!subject.around.head && html`<h1 class="spoken" dir="auto">${subject.brandName}</h1>`}`
}

/** The sheets around the element. */
const wornBy = (theme: Subject['theme'], kind: PageKind): string[] =>
  [kind === 'page' ? pageThemeStyles(theme) : '', theme.fontStack === 'MANROPE' ? typeface : ''].filter(Boolean)

/** Null parts render nothing. */
const partsOf = ({ above, below, beside, head }: Subject['around']) => ({
  masthead: html`${head}`,
  before: html`${above}`,
  after: html`${below}`,
  aside: html`${beside}`,
})

/** A preview looks like a page; its views are not counted. */
const kindOf = (kind: PageKind): Html =>
  html` data-kind="${kind === 'frame' ? kind : 'page'}"${kind === 'preview' && html` data-preview`}`

/** Inline scripts in the head, directly behind the element, and in the row of ways to share. */
const scriptsOf = (has: { isByCode: boolean; isFrame: boolean; isShared: boolean; isDrawn: boolean }) => ({
  head: [...(has.isByCode ? [CODE_SCRIPT] : []), ...(has.isFrame ? [FRAME_SCRIPT] : []), EARLY_TAP_SCRIPT],
  behind: has.isDrawn ? [ORDER_SCRIPT] : [],
  shared: has.isShared ? [SHARE_SCRIPT] : [],
})

const tagged = (scripts: readonly string[]): string => scripts.map((text) => `<script>${text}</script>`).join('')

/** The page is complete before any script runs; the script then adopts it. */
export function renderPage(subject: Subject, looks: Looks, { kind, publicUrl, build }: Place): Page {
  const { element, reference, inside, json, isByCode } = subject
  const theme = themeWith(subject.theme, looks)
  const { lang = 'en' } = renderOptionsOf(looks)
  const brandColors = themeStyles(theme)
  const brandStyles = theme.customCssUrl === null ? '' : html`<link rel="stylesheet" href="${theme.customCssUrl}">`
  const given = PAGE_LOOKS.map(
    (name) => typeof looks[name] === 'string' && html` ${name.toLowerCase()}="${looks[name]}"`,
  )
  const head = html`<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${subject.title}</title>${shareTags(subject, kind, publicUrl)}`
  const isFrame = kind === 'frame'
  const told = html` ${reference.name}="${reference.value}"${given}`
  // Polls have second-level headings.
  const isNamed = kind === 'page' && subject.profile !== null
  const { masthead, before, after, aside } = partsOf(subject.around)
  const heading = headingOf(subject, isNamed)
  const root = html` lang="${lang}" dir="${directionOf(lang)}" data-scheme="${schemeOf(theme)}"${kindOf(kind)}${isNamed && html` data-grid`}${subject.around.beside && html` data-beside`}`
  const hasTypeface = theme.fontStack === 'MANROPE'
  const worn = wornBy(theme, kind)
  const early = html`${hasTypeface && EARLY_FONT}`
  const isShared = kind === 'page' && element !== 'tossup-feed' && !isSet(looks.kiosk)
  const below = isShared ? shareRow(subject, lang) : ''
  const scripts = scriptsOf({ isByCode, isFrame, isShared, isDrawn: inside.includes(' data-random>') })
  const above = kind === 'preview' ? html`<p class="preview">${wordsOf(lang).preview}</p>` : ''
  const within = `<style>${elementStyles}</style><style>${brandColors}</style>${brandStyles}`
  // Without it, a browser may draw a bar before the figure beside it was parsed, and then move the bar.
  const drawnWhole = '<link rel="expect" href="#end" blocking="render">'
  const needed = [...(reference.name === 'poll' ? [] : [reference.name]), ...(isByCode ? CODE_PARTS : [])]
  const parts = needed.map((each) => html`<link rel="modulepreload" href="${partAddress(each, build)}">`)
  const top = `<!doctype html><html${root}><head>${head}${early}${drawnWhole}<style>${pageStyles}</style>${worn.map((css) => `<style>${css}</style>`).join('')}${tagged(scripts.head)}<script type="module" src="/embed.js"></script>${html`${parts}`}</head>`
  const elsewhere = isFrame ? elsewhereNote(subject, lang, looks.source ?? null) : ''
  const words = inScript(`${json.slice(0, -1)},"words":${JSON.stringify(wordsOf(lang))}}`)
  const shown = `<template shadowrootmode="open">${within}<div class="inside${isNamed ? ' is-grid' : ''}">${inside}</div></template><script type="application/json">${words}</script>`
  const unscripted = html`<noscript><p class="needs-script">${wordsOf(lang).needsScript}</p></noscript>`
  return {
    text: `${top}<body>${above}${masthead}<main>${heading}${before}<${element}${told}>${shown}</${element}>${tagged(scripts.behind)}${elsewhere}${unscripted}${after}</main>${below}${aside}<i id="end" hidden></i></body></html>`,
    styleHashes: [...commonHashes, ...[brandColors, ...worn].map(sourceHash)],
    scriptHashes: Object.values(scripts).flat().map(sourceHash),
  }
}
