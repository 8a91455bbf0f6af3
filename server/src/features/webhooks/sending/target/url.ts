import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Config } from '../../../../config/config.ts'

/** It looks public. */
const AZURE_METADATA = '168.63.129.16'

/** The only IPv6 range in public use: outside it are local and multicast addresses, and those that embed IPv4. */
const PUBLIC_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')

/** True for a reserved address, and for anything that is not a plain address. */
export function isReserved(address: string): boolean {
  if (isIP(address) === 0 || address.includes('%') || address === AZURE_METADATA) return true
  const parsed = ipaddr.parse(address)
  return parsed.range() !== 'unicast' || (parsed instanceof ipaddr.IPv6 && !parsed.match(PUBLIC_IPV6))
}

export type UrlRules = Pick<Config, 'isPrivateWebhookAllowed' | 'webhookPorts'>

/** Matches a url without anything that the URL parser would silently repair: spaces, control characters, backslashes, a missing slash. */
const PLAIN = /^https?:\/\/[^\s\p{Cc}\\/?#][^\s\p{Cc}\\]*$/iu
const LABEL = /^[^.]{1,63}$/

const FOR_DEVELOPMENT = 'To develop, start Tossup with WEBHOOK_ALLOW_PRIVATE=true.'

const INVALID = { code: 'invalid_url', message: 'Must be an https URL with a host.' }
const WITH_CREDENTIALS = { code: 'credentials', message: 'Must be a URL without user and password.' }
const NOT_HTTPS = { code: 'https_required', message: `Must be an https URL. ${FOR_DEVELOPMENT}` }
const WRONG_PORT = {
  code: 'port_not_allowed',
  message: 'This port is not allowed for webhooks. The setting WEBHOOK_PORTS lists the allowed ports.',
}
const PRIVATE = { code: 'private_address', message: `Must be a host on the public internet. ${FOR_DEVELOPMENT}` }

/** The problem of a URL as written. Its host name is resolved and checked at each attempt. */
export function targetProblem(text: string, { isPrivateWebhookAllowed, webhookPorts }: UrlRules) {
  if (!PLAIN.test(text) || !URL.canParse(text)) return INVALID
  const authority = text.slice(text.indexOf('//') + 2).split(/[/?#]/, 1)[0] ?? ''
  if (authority.includes('@')) return WITH_CREDENTIALS
  const url = new URL(text)
  const host = plainHost(url)
  if (host.length > 253 || (isIP(host) === 0 && !host.split('.').every((label) => LABEL.test(label)))) return INVALID
  if (isPrivateWebhookAllowed) return null
  if (url.protocol !== 'https:') return NOT_HTTPS
  if (isPrivateHost(host)) return PRIVATE
  return webhookPorts.includes(portOf(url)) ? null : WRONG_PORT
}

/** A URL in ASCII alone, as RFC 3986 asks: an international host in punycode, the rest percent-encoded. ASCII stays as written. */
export const asciiUrl = (text: string): string => (/^[\x21-\x7e]*$/.test(text) ? text : new URL(text).href)

/** The parser has normalized every spelling of an address: decimal, octal, hex, short, fullwidth, encoded. */
export const plainHost = ({ hostname }: URL): string =>
  hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()

export const portOf = ({ port, protocol }: URL): number => Number(port || (protocol === 'https:' ? 443 : 80))

const isPrivateHost = (host: string): boolean =>
  isIP(host) === 0 ? host === 'localhost' || host.endsWith('.localhost') : isReserved(host)
