import { type Html, html } from '../../../../../embed/src/render/html.ts'
import { directionOf, type Lang } from '../../../../../embed/src/words.ts'
import type { Config } from '../../../config/config.ts'

export interface Logo {
  readonly url: string
  readonly alt: string
}

/** A paragraph with a heading, such as a poll and its result. */
export interface Item {
  readonly title: string
  readonly lines: readonly string[]
}

interface MailPage {
  readonly lang: Lang
  readonly subject: string
  readonly intro: string
  readonly items?: readonly Item[]
  readonly button: string
  readonly url: string
  readonly logo: Logo | null
  /** How long the link works. */
  readonly life?: string
  readonly orCopy: string
  /** Small print below the address. */
  readonly quiet: readonly string[]
  /** A link that ends such mails. */
  readonly stop?: { readonly text: string; readonly url: string }
}

/** Programs that know no dark scheme, or drop this sheet, show the colours of the attributes. */
const DARK =
  ':root{color-scheme:light dark}@media(prefers-color-scheme:dark){.page{background:#1c1c1e!important;color:#f2f2f7!important}.button{background:#f2f2f7!important;color:#1c1c1e!important}.quiet{color:#aeaeb2!important}}'

/** Always on a light ground, because it is the logo for light pages. Without pictures, its text stands there. */
const logoOf = ({ url, alt }: Logo): Html =>
  html`<p style="margin:0 0 24px"><img src="${url}" alt="${alt}" height="40" style="display:inline-block;height:40px;max-width:200px;padding:8px;border-radius:8px;background:#fff;color:#1c1c1e;object-fit:contain"></p>`

/** Titles and labels are in any language, so each decides its own direction. */
const itemOf = ({ title, lines }: Item): Html =>
  html`<p style="margin:24px 0 0;font-weight:600" dir="auto">${title}</p><p style="margin:4px 0 0">${lines.map((line) => html`<span dir="auto" style="display:block">${line}</span>`)}</p>`

const QUIET = 'font-size:13px;color:#636366'

/** One button. The address is there as text for programs that show no button. */
export const mailPage = ({
  lang,
  subject,
  intro,
  items = [],
  button,
  url,
  logo,
  life,
  orCopy,
  quiet,
  stop,
}: MailPage): Html =>
  html`<!doctype html><html lang="${lang}" dir="${directionOf(lang)}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${subject}</title><style>${DARK}</style></head><body class="page" style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif;color:#1c1c1e;background:#fff"><div style="max-width:520px;margin:0 auto">${logo && logoOf(logo)}<p style="font-size:18px">${intro}</p>${items.map(itemOf)}<p style="margin:24px 0"><a class="button" href="${url}" style="display:inline-block;padding:12px 24px;border-radius:8px;background:#1c1c1e;color:#fff;font-weight:600;text-decoration:none">${button}</a></p>${life && html`<p>${life}</p>`}<p class="quiet" style="${QUIET}">${orCopy}<br><span dir="ltr" style="word-break:break-all">${url}</span></p>${quiet.map((text) => html`<p class="quiet" style="${QUIET}">${text}</p>`)}${stop && html`<p class="quiet" style="${QUIET}"><a class="quiet" href="${stop.url}" style="color:#636366">${stop.text}</a></p>`}</div></body></html>`

/** Mail programs make a link of anything with a dot, a slash or an @ in a word. */
const withoutLinks = (name: string): string => name.replace(/(?<=\S)[.:/@\\\u3002\uff0e\uff61]+(?=\S)/g, ' ')

/** The name without links, and the logo if its file is ours: a mail loads nothing from elsewhere. */
export function brandInMail(
  { filesUrl, publicUrl }: Pick<Config, 'filesUrl' | 'publicUrl'>,
  row: { name: string; theme: string; avatar_url: string | null },
) {
  const name = withoutLinks(row.name)
  const { logoLight } = JSON.parse(row.theme) as { logoLight?: string }
  const ours = `${filesUrl ?? `${publicUrl}/files`}/`
  const avatar = row.avatar_url?.startsWith(ours) ? row.avatar_url : null
  const url = logoLight === undefined ? avatar : ours + logoLight
  return { name, logo: url === null ? null : { url, alt: name } }
}
