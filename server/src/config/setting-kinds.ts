// The values that settings accept, from trimmed text. A message must not quote the value, which may be secret.
import ipaddr from 'ipaddr.js'
import { z } from 'zod'

export const anyText = z.string()

export const oneLine = z.string().regex(/^[^\r\n]*$/, 'must be one line')

export const integer = (least: number, most: number, error = `must be a whole number from ${least} to ${most}`) =>
  z.string().regex(/^\d+$/, error).transform(Number).pipe(z.number().min(least, error).max(most, error))

export const flag = z.stringbool({
  truthy: ['true'],
  falsy: ['false'],
  case: 'sensitive',
  error: 'must be true or false',
})

export const oneOf = <const Words extends readonly string[]>(words: Words) =>
  z.enum(words, { error: `must be one of ${words.join(', ')}` })

const commaSeparated = z.string().transform((given) => given.split(',').map((each) => each.trim()))

export const ports = commaSeparated.pipe(
  z.array(integer(1, 65_535, 'must be comma-separated ports from 1 to 65535, such as 443,8443')),
)

const SHORTEST_SECRET = 32

export const secrets = commaSeparated.pipe(
  z.array(
    z.string().min(SHORTEST_SECRET, `must hold at least ${SHORTEST_SECRET} characters; a comma separates two keys`),
  ),
)

export type AddressRange = [ipaddr.IPv4 | ipaddr.IPv6, number]

export const addressRanges = commaSeparated
  .transform((entries) => entries.filter((entry) => entry !== ''))
  .pipe(
    z.array(
      z
        .string()
        .transform((entry) => (ipaddr.isValid(entry) ? `${entry}/${entry.includes(':') ? 128 : 32}` : entry))
        .refine(
          (range) => ipaddr.isValidCIDR(range),
          'must be comma-separated addresses or networks, such as 10.0.0.0/8',
        )
        .transform((range): AddressRange => ipaddr.parseCIDR(range)),
    ),
  )

export const urlWith = (...protocols: readonly string[]) =>
  z.string().refine((given) => URL.canParse(given) && protocols.some((protocol) => given.startsWith(protocol)), {
    error: `must be a URL that starts with ${protocols.join(' or ')}`,
    abort: true,
  })

const webUrl = urlWith('http://', 'https://').transform((given) => new URL(given))

export const origin = webUrl
  .refine(
    ({ origin, href }) => href === `${origin}/`,
    'must be an origin, such as https://polls.example.com, without a path',
  )
  .transform(({ origin }) => origin)

/** An origin with an optional path, without a trailing slash. */
export const webAddress = webUrl
  .refine(
    ({ origin, pathname, href }) => href === origin + pathname,
    'must be an address without user, query or fragment, such as https://cdn.example.com/pictures',
  )
  .transform(({ href }) => href.replace(/\/+$/, ''))

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const LONGEST_MS = 365 * UNITS.d

/** NaN for other texts. */
export function durationMs(text: string): number {
  const [, number, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  return Number(number) * UNITS[unit as keyof typeof UNITS]
}

/** A number with its unit, such as `6h`. */
export const duration = z
  .string()
  .refine(
    (given) => durationMs(given) >= UNITS.m && durationMs(given) <= LONGEST_MS,
    'must be a number of minutes, hours or days up to a year, such as 30m, 6h or 1d',
  )

const POSTGRES = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/
const WANTED = 'target_session_attrs'

/** One URL for each host: libpq accepts several hosts in one URL, but the URL of the web standard has one. */
export function urlsOfHosts(url: string): readonly string[] {
  const [, start = '', hosts = '', rest = ''] = POSTGRES.exec(url) ?? []
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

function isPostgresUrl(given: string): boolean {
  const urls = urlsOfHosts(given)
  const isHost = (url: string) => URL.canParse(url) && (urls.length === 1 || new URL(url).host !== '')
  return POSTGRES.test(given) && urls.every(isHost)
}

/** The address of a PostgreSQL with one or several hosts, of which the primary is used. */
export const postgresUrl = z
  .string()
  .refine(isPostgresUrl, { error: 'must be a URL that starts with postgres:// or postgresql://', abort: true })
  .refine(
    (given) => !new RegExp(`[?&]${WANTED}=(?!(?:read-write|primary)(?:[&#]|$))`).test(given),
    `may have ${WANTED}=read-write only`,
  )

const FORM = 's3://KEY:SECRET@host/bucket?region=REGION'
const KEYED = `must hold a key and a secret: ${FORM}`
const PLACED = `must name a host and a bucket: ${FORM}`

export const s3Place = z
  .string()
  .refine((given) => /^s3(\+http)?:\/\//.test(given) && URL.canParse(given), {
    error: `must have the form ${FORM}, with a / in the secret written as %2F`,
    abort: true,
  })
  .transform((given) => {
    const { protocol, username, password, host, pathname, searchParams, hash } = new URL(given)
    const [bucket = '', ...folders] = pathname.split('/').slice(1)
    return {
      accessKeyId: decoded(username),
      secretAccessKey: decoded(password),
      host,
      bucket,
      folder: folders.map((name) => `${name}/`).join(''),
      options: Object.fromEntries(hash === '' ? searchParams : [...searchParams, ['hash', hash]]) as unknown,
      scheme: protocol === 's3:' ? 'https' : 'http',
    }
  })
  .pipe(
    z.object({
      accessKeyId: z.string().min(1, KEYED),
      secretAccessKey: z.string().min(1, KEYED),
      host: z.string().min(1, PLACED),
      bucket: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/, PLACED),
      folder: z
        .string()
        .regex(
          /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)*$/,
          'must name a folder, if any, of letters, digits, dots, hyphens and underscores',
        ),
      options: z.strictObject(
        {
          region: z
            .string()
            .regex(/^[a-z0-9-]{1,40}$/, 'must name a region of lower-case letters, digits and hyphens')
            .default('us-east-1'),
          style: z.enum(['path', 'virtual'], 'takes style=path or style=virtual').default('path'),
        },
        'takes no other parameters than region and style',
      ),
      scheme: z.string(),
    }),
  )
  .transform(({ scheme, host, options: { region, style }, ...place }) => {
    const isVirtualHosted = style === 'virtual'
    const endpoint = `${scheme}://${isVirtualHosted ? `${place.bucket}.` : ''}${host}`
    return { ...place, endpoint, isVirtualHosted, region }
  })

/** `folder` is the prefix of every key: empty, or ending in a slash. */
export type S3Place = Readonly<z.output<typeof s3Place>>

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

/** A folder, or a bucket. */
export type BackupPlace = { readonly folder: string } | { readonly s3: S3Place }

export const backupPlace = z.string().transform((given, { addIssue }): BackupPlace => {
  if (!/^[a-z][a-z0-9+.-]*:\/\//.test(given)) return { folder: given }
  const place = s3Place.safeParse(given)
  if (place.success) return { s3: place.data }
  addIssue(`${place.error.issues[0]?.message}, or be the path of a folder`)
  return z.NEVER
})
