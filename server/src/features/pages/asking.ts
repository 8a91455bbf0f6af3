import { LOOKS, type Looks } from '../../../../embed/src/theme/looks.ts'
import { preferredLang } from '../../http/answers/negotiate.ts'
import type { Incoming } from '../../http/incoming.ts'
import { firstParameters } from '../../http/query.ts'

/** Options of a page's request, from its query and its headers. */
export interface Asking {
  readonly looks: Looks
  readonly vary: Readonly<Record<string, string>>
  /** The `preview` parameter of the signed link to a draft. */
  readonly preview: string | null
}

export const BY_LANGUAGE = { Vary: 'Accept-Language' }

/** Parameter names ignore case, as attribute names do. */
export function askingOf({ request, search }: Incoming): Asking {
  const given = new Map([...firstParameters(search).given].map(([name, value]) => [name.toLowerCase(), value]))
  const looks = Object.fromEntries(LOOKS.map((name) => [name, given.get(name.toLowerCase()) ?? null])) as Looks
  const preview = given.get('preview') ?? null
  if (looks.lang) return { looks, vary: {}, preview }
  const lang = preferredLang(request.headers.get('accept-language'))
  return { looks: { ...looks, lang }, vary: BY_LANGUAGE, preview }
}
