import { html } from '../../../../embed/src/html.ts'
import { langOf, wordsOf } from '../../../../embed/src/words.ts'
import { sourceHash } from './content-security-policy.ts'
import type { Subject } from './page.ts'

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
export function shareRow({ address, link }: Pick<Subject, 'address' | 'link'>, lang: string): string {
  const { share, copyLink, copied, qrCode } = wordsOf(lang)
  const code = `${new URL(address).pathname}/qr?lang=${langOf(lang)}`
  const row = html`<footer class="sharing" data-url="${link}" data-copied="${copied}"><button type="button" hidden>${share}</button><button type="button" hidden>${copyLink}</button><a href="${code}">${qrCode}</a><p aria-live="polite"></p>`
  return `${row}<script>${SCRIPT}</script></footer>`
}
