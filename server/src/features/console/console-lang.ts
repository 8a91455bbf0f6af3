import { LANGS, type Lang } from '../../../../embed/src/words.ts'
import { preferredLang } from '../../http/answers/negotiate.ts'
import { header, type Incoming } from '../../http/incoming.ts'
import { readCookie } from '../people/sessions/session-cookie.ts'

/** Written by the console (`words/chosen-language.ts`) where somebody chooses a language in their profile. */
const COOKIE = 'tossup_console_lang'

/** The language that was chosen in this browser, or else the one that the browser asks for. */
export function consoleLang(incoming: Incoming): Lang {
  const chosen = readCookie(incoming, COOKIE)
  return LANGS.find((lang) => lang === chosen) ?? preferredLang(header(incoming, 'accept-language'))
}
