import { LANGUAGES } from './languages.ts'

/** Read by the service (`console-lang.ts`), which tells the document its language. */
const COOKIE = 'tossup_console_lang'
const YEAR_S = 31_536_000

/** Null where the browser decides. */
export function chosenLanguage(): string | null {
  const [, chosen = ''] = new RegExp(`(?:^|; )${COOKIE}=(\\w+)`).exec(document.cookie) ?? []
  return Object.hasOwn(LANGUAGES, chosen) ? chosen : null
}

/** Loads the page again, in this language. */
export function chooseLanguage(lang: string | null): void {
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: the other interface for cookies works over HTTPS alone
  document.cookie = `${COOKIE}=${lang ?? ''}; Path=/console; SameSite=Lax; Max-Age=${lang === null ? 0 : YEAR_S}${secure}`
  location.reload()
}
