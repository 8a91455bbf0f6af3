import { type Html, html } from '../../../../embed/src/render/html.ts'
import { isWebAddress } from '../../../../embed/src/render/picture.ts'
import { renderBrandHead } from '../../../../embed/src/render/render-brand-head.ts'
import pageSheet from '../../../../embed/src/styles/page.css' with { type: 'text' }
import { compactCss } from '../../../../embed/src/theme/compact-css.ts'
import { LOOKS, type Looks, renderOptionsOf, themeWith } from '../../../../embed/src/theme/looks.ts'
import { elementStylesheet } from '../../../../embed/src/theme/stylesheet.ts'
import { pageThemeStyles, themeStyles } from '../../../../embed/src/theme/theme-styles.ts'
import { typefaceAddress, typefaceStyles } from '../../../../embed/src/theme/typeface.ts'
import { directionOf, langOf, wordsOf } from '../../../../embed/src/words.ts'
import { partAddress } from './assets/asset-routes.ts'
import { cardVersion } from './cards/card.ts'
import { CARD_HEIGHT, CARD_WIDTH } from './cards/card-layout.ts'
import { type Page, type PageKind, type Subject, sourceHash } from './page.ts'

export const cardUrl = ({ address, card }: Pick<Subject, 'address' | 'card'>): string =>
  `${address}/card.jpg?v=${cardVersion(card)}`

/** Metadata for search engines and messengers. A framed page points to its hosted page and is not indexed. */
function shareTags(subject: Subject, kind: PageKind, publicUrl: string): Html {
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

/** Runs inline before the first paint, so that nothing shifts. */
const SCRIPT = `{
const row = document.currentScript.parentElement
const [share, copy] = row.querySelectorAll('button')
const said = row.querySelector('p')
const { url, copied } = row.dataset
share.hidden = !navigator.share
copy.hidden = !navigator.clipboard
share.onclick = () => navigator.share({ title: document.title, url }).catch(() => {})
copy.onclick = () => {
said.textContent = ''
navigator.clipboard.writeText(url).then(() => { said.textContent = copied }, () => {})
}
}`

const SHARE_SCRIPT_HASH: string = sourceHash(SCRIPT)

/** Without scripts only the QR code is shown; unsupported ways of sharing are hidden. */
function shareRow({ address, link }: Pick<Subject, 'address' | 'link'>, lang: string): string {
  const { share, copyLink, copied, qrCode } = wordsOf(lang)
  const code = `${new URL(address).pathname}/qr?lang=${langOf(lang)}`
  const row = html`<footer class="sharing" data-url="${link}" data-copied="${copied}"><button type="button" hidden>${share}</button><button type="button" hidden>${copyLink}</button><a href="${code}">${qrCode}</a><p aria-live="polite"></p>`
  return `${row}<script>${SCRIPT}</script></footer>`
}

/**
 * A page can be tapped before `/embed.js` has arrived and the poll's state is known: such a tap has no effect. So the first tap
 * is repeated until the element shows a choice, for ten seconds. Each check is made in the turn of the tap, so that a vote that
 * was refused is not sent again.
 */
const EARLY_TAP_SCRIPT = `{
const early = (event) => {
const option = event.composedPath()[0].closest?.('[data-option]')
if (!option) return
removeEventListener('click', early, true)
const isTaken = () => option.closest('.options')?.querySelector('[aria-pressed="true"]')
let left = 100
const press = () => {
if (isTaken() || !option.isConnected || option.ariaDisabled || left-- === 0) return
option.click()
if (!isTaken()) setTimeout(press, 100)
}
setTimeout(press)
}
addEventListener('click', early, true)
}`

const EARLY_TAP_HASH: string = sourceHash(EARLY_TAP_SCRIPT)

/**
 * Every host that `embedOrigins` allows to frame the poll receives its events. Each message has the height, because the
 * script of the host may miss the first ones. The frame itself obeys no message: no site can make it show a vote.
 */
const FRAME_SCRIPT = `if (parent !== window) {
let height
const tell = (message) => parent.postMessage({ source: 'tossup', height, ...message }, '*')
for (const type of ['ready', 'voted', 'step', 'completed', 'error'])
document.addEventListener('tossup:' + type, ({ detail }) => tell({ type, detail }))
new ResizeObserver(() => {
height = document.documentElement.offsetHeight
tell({ type: 'height' })
}).observe(document.documentElement)
}`

const FRAME_HASH: string = sourceHash(FRAME_SCRIPT)

const pageStyles = compactCss(pageSheet)
const elementStyles = compactCss(elementStylesheet)
const commonHashes = [pageStyles, elementStyles].map(sourceHash)
const typeface = typefaceStyles('')

interface Place {
  readonly kind: PageKind
  readonly publicUrl: string
  /** The build of the scripts: a list preloads its part by this name. */
  readonly build: string
}

/** The page is complete before any script runs; the script then adopts it. */
export function renderPage(subject: Subject, looks: Looks, { kind, publicUrl, build }: Place): Page {
  const { element, reference, inside, json } = subject
  const theme = themeWith(subject.theme, looks)
  const { lang = 'en', scheme } = renderOptionsOf(looks)
  const brandColors = themeStyles(theme)
  const brandStyles = theme.customCssUrl === null ? '' : html`<link rel="stylesheet" href="${theme.customCssUrl}">`
  const given = LOOKS.map((name) => typeof looks[name] === 'string' && html` ${name.toLowerCase()}="${looks[name]}"`)
  const head = html`<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${subject.title}</title>${shareTags(subject, kind, publicUrl)}`
  const isFrame = kind === 'frame'
  const root = html` lang="${lang}" dir="${directionOf(lang)}" data-scheme="${scheme}" data-kind="${isFrame ? kind : 'page'}"`
  const told = html` ${reference.name}="${reference.value}"${given}`
  // Polls have second-level headings.
  const isNamed = kind === 'page' && subject.profile !== null
  const heading = isNamed ? renderBrandHead(subject) : html`<h1 class="spoken" dir="auto">${subject.brandName}</h1>`
  const around = kind === 'page' ? pageThemeStyles(theme) : ''
  const hasTypeface = theme.fontStack === 'MANROPE'
  const worn = [around, hasTypeface ? typeface : ''].filter((css) => css !== '')
  const early = hasTypeface
    ? html`<link rel="preload" as="font" type="font/woff2" crossorigin href="${typefaceAddress('latin')}">`
    : ''
  const isShared = kind === 'page' && element !== 'tossup-feed'
  const below = isShared ? shareRow(subject, lang) : ''
  const above = kind === 'preview' ? html`<p class="preview">${wordsOf(lang).preview}</p>` : ''
  const within = `<style>${elementStyles}</style><style>${brandColors}</style>${brandStyles}`
  // Without it, a browser may draw a bar before the figure beside it was parsed, and then move the bar.
  const drawnWhole = '<link rel="expect" href="#end" blocking="render">'
  const part = element !== 'tossup-poll' && html`<link rel="modulepreload" href="${partAddress('lists', build)}">`
  const top = `<!doctype html><html${root}><head>${head}${early}${drawnWhole}<style>${pageStyles}</style>${worn.map((css) => `<style>${css}</style>`).join('')}<script>${EARLY_TAP_SCRIPT}</script>${isFrame ? `<script>${FRAME_SCRIPT}</script>` : ''}<script type="module" src="/embed.js"></script>${html`${part}`}</head>`
  const words = inScript(`${json.slice(0, -1)},"words":${JSON.stringify(wordsOf(lang))}}`)
  const shown = `<template shadowrootmode="open">${within}<div class="inside">${inside}</div></template><script type="application/json">${words}</script>`
  const unscripted = html`<noscript><p class="needs-script">${wordsOf(lang).needsScript}</p></noscript>`
  return {
    text: `${top}<body>${above}<main>${heading}<${element}${told}>${shown}</${element}>${unscripted}</main>${below}<i id="end" hidden></i></body></html>`,
    styleHashes: [...commonHashes, ...[brandColors, ...worn].map(sourceHash)],
    scriptHashes: [EARLY_TAP_HASH, ...(isFrame ? [FRAME_HASH] : []), ...(isShared ? [SHARE_SCRIPT_HASH] : [])],
  }
}

/** A script element ends at its first closing tag, even within a string. */
const inScript = (json: string): string => json.replaceAll('<', '\\u003c')
