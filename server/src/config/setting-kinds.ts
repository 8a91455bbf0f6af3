import ipaddr from 'ipaddr.js'

/** Throws an error that names the setting, then the problem. The problem must not quote the value, which may be secret. */
type Refuse = (problem: string) => never

/** The values that a setting accepts. `read` gets the trimmed text, which is never empty. */
export interface SettingKind<Value> {
  read(text: string, refuse: Refuse): Value
}

export type AddressRange = [ipaddr.IPv4 | ipaddr.IPv6, number]

export const anyText: SettingKind<string> = { read: (given) => given }

export const oneLine: SettingKind<string> = {
  read: (given, refuse) => (/[\r\n]/.test(given) ? refuse('must be one line') : given),
}

export const integer = (least: number, most: number): SettingKind<number> => ({
  read(given, refuse) {
    const value = Number(given)
    const isAllowed = /^\d+$/.test(given) && value >= least && value <= most
    return isAllowed ? value : refuse(`must be a whole number from ${least} to ${most}`)
  },
})

export const ports: SettingKind<readonly number[]> = {
  read(given, refuse) {
    const values = given.split(',').map((port) => (/^ *\d{1,5} *$/.test(port) ? Number(port) : 0))
    const isAllowed = values.every((port) => port >= 1 && port <= 65_535)
    return isAllowed ? values : refuse('must be comma-separated ports from 1 to 65535, such as 443,8443')
  },
}

export const flag: SettingKind<boolean> = {
  read: (given, refuse) => (given === 'true' || given === 'false' ? given === 'true' : refuse('must be true or false')),
}

export const oneOf = <Word extends string>(...words: readonly Word[]): SettingKind<Word> => ({
  read: (given, refuse) => words.find((word) => word === given) ?? refuse(`must be one of ${words.join(', ')}`),
})

export const urlWith = (...protocols: readonly string[]): SettingKind<string> => ({
  read(given, refuse) {
    if (URL.canParse(given) && protocols.some((protocol) => given.startsWith(protocol))) return given
    return refuse(`must be a URL that starts with ${protocols.join(' or ')}`)
  },
})

const webUrl = urlWith('http://', 'https://')

export const origin: SettingKind<string> = {
  read(given, refuse) {
    const { origin: only, href } = new URL(webUrl.read(given, refuse))
    return href === `${only}/` ? only : refuse('must be an origin, such as https://polls.example.com, without a path')
  },
}

/** An origin with an optional path, without a trailing slash. */
export const webAddress: SettingKind<string> = {
  read(given, refuse) {
    const { origin: only, pathname, href } = new URL(webUrl.read(given, refuse))
    if (href !== only + pathname)
      return refuse('must be an address without user, query or fragment, such as https://cdn.example.com/pictures')
    return href.replace(/\/+$/, '')
  },
}

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const MOST_MINUTES = 525_600

/** NaN for other texts. */
export function durationMs(text: string): number {
  const [, number, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  return Number(number) * UNITS[unit as keyof typeof UNITS]
}

/** A number with its unit, such as `6h`. */
export const duration: SettingKind<string> = {
  read(given, refuse) {
    const length = durationMs(given)
    const isAllowed = length >= UNITS.m && length <= MOST_MINUTES * UNITS.m
    return isAllowed ? given : refuse('must be a number of minutes, hours or days up to a year, such as 30m, 6h or 1d')
  },
}

const SHORTEST_SECRET = 32

export const secrets: SettingKind<readonly string[]> = {
  read(given, refuse) {
    const keys = given.split(',').map((key) => key.trim())
    const isLong = keys.every((key) => key.length >= SHORTEST_SECRET)
    return isLong ? keys : refuse(`must hold at least ${SHORTEST_SECRET} characters; a comma separates two keys`)
  },
}

export const addressRanges: SettingKind<readonly AddressRange[]> = {
  read(given, refuse) {
    const entries = given.split(',').map((entry) => entry.trim())
    return entries.filter((entry) => entry !== '').map((entry) => rangeOf(entry, refuse))
  },
}

function rangeOf(entry: string, refuse: Refuse): AddressRange {
  const range = ipaddr.isValid(entry) ? `${entry}/${entry.includes(':') ? 128 : 32}` : entry
  if (ipaddr.isValidCIDR(range)) return ipaddr.parseCIDR(range)
  return refuse('must be comma-separated addresses or networks, such as 10.0.0.0/8')
}
