import type { SettingKind } from './setting-kinds.ts'

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/
const WANTED = 'target_session_attrs'

/** One URL for each host: libpq accepts several hosts in one URL, but the URL of the web standard has one. */
export function urlsOfHosts(url: string): readonly string[] {
  const [, start = '', hosts = '', rest = ''] = PARTS.exec(url) ?? []
  const urls = hosts.split(',').map((host) => start + host + rest)
  return urls.map((each) => (URL.canParse(each) ? withoutWanted(each) : each))
}

/** The driver does not know the parameter, and would take it for a setting of the connection. */
function withoutWanted(url: string): string {
  const parsed = new URL(url)
  if (!parsed.searchParams.has(WANTED)) return url
  parsed.searchParams.delete(WANTED)
  return parsed.href
}

const ALLOWED = ['read-write', 'primary']

/** The address of a PostgreSQL with one or several hosts, of which the primary is used. */
export const postgresUrl: SettingKind<string> = {
  read(given, refuse) {
    const urls = urlsOfHosts(given)
    const isUrl =
      PARTS.test(given) && urls.every((url) => URL.canParse(url) && (urls.length === 1 || new URL(url).host !== ''))
    if (!isUrl) return refuse('must be a URL that starts with postgres:// or postgresql://')
    const wanted = new RegExp(`[?&]${WANTED}=([^&#]*)`).exec(given)?.[1]
    if (wanted === undefined || ALLOWED.includes(wanted)) return given
    return refuse(`may have ${WANTED}=${ALLOWED[0]} only`)
  },
}
