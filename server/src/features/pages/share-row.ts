import { html } from '../../../../embed/src/html.ts'
import { wordsOf } from '../../../../embed/src/words.ts'
import { sourceHash } from './policy.ts'

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

export const SHARE_SCRIPT_HASH: string = sourceHash(SCRIPT)

/** Without scripts only the QR code is shown; unsupported ways of sharing are hidden. */
export function shareRow(address: string, lang: string): string {
  const { share, copyLink, copied, qrCode } = wordsOf(lang)
  const code = `${new URL(address).pathname}/qr.svg`
  const row = html`<footer class="sharing" data-url="${address}" data-copied="${copied}"><button type="button" hidden>${share}</button><button type="button" hidden>${copyLink}</button><a href="${code}">${qrCode}</a><p aria-live="polite"></p>`
  return `${row}<script>${SCRIPT}</script></footer>`
}
