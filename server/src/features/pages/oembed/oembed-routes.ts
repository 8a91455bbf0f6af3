// features/pages/oembed: the frame of a page for editors that ask by oEmbed.
import { z } from 'zod'
import { html } from '../../../../../embed/src/render/html.ts'
import { schemeOf, themeWith } from '../../../../../embed/src/theme/looks.ts'
import { AppError, notFound } from '../../../base/errors.ts'
import { count, url } from '../../../base/fields.ts'
import { etagOf, publicCaching } from '../../../http/answers/caching.ts'
import { outside, type Route, route } from '../../../http/route.ts'
import type { Deps } from '../../deps.ts'
import { CARD_HEIGHT, CARD_WIDTH } from '../cards/card-layout.ts'
import type { FindSubjects } from '../find-subjects.ts'
import { PAGE_LOOKS, type Subject } from '../page.ts'
import { cardUrl } from '../render-page.ts'

/** A page of ours by its address, with its appearance. */
interface PageAddress {
  readonly kind: 'p' | 'c' | 'b'
  readonly reference: string
  readonly looks: URLSearchParams
}

/** Null if the address is not a page of this service. */
function readPageAddress(address: string, publicUrl: string): PageAddress | null {
  const url = URL.parse(address)
  const [, kind, reference] = /^\/([pcb])\/([A-Za-z0-9_-]{1,128})$/.exec(url?.pathname ?? '') ?? []
  if (url?.origin !== publicUrl || !kind || !reference) return null
  const names: readonly string[] = PAGE_LOOKS.map((name) => name.toLowerCase())
  const looks = [...url.searchParams].filter(([name]) => names.includes(name.toLowerCase()))
  return { kind: kind as PageAddress['kind'], reference, looks: new URLSearchParams(looks) }
}

interface Bounds {
  readonly maxwidth?: number | undefined
  readonly maxheight?: number | undefined
}

/** From this width the options are side by side. */
const SIDE_BY_SIDE = 422

/** For a poll with pictures and a title of one line: a frame cannot know its height beforehand. */
const pollHeight = (width: number): number => Math.ceil(width < SIDE_BY_SIDE ? 1.2 * width + 300 : 0.5 * width + 240)

const SHOWN = {
  'tossup-poll': { path: 'poll', heightOf: pollHeight },
  'tossup-campaign': { path: 'campaign', heightOf: (width: number) => pollHeight(width) + 120 },
  'tossup-feed': { path: 'brand', heightOf: () => 800 },
} as const

const WIDTH = 600
const PROVIDER = 'https://polls.example.com'

/** The names are those of https://oembed.com. */
const oEmbed = z
  .object({
    version: z.literal('1.0').describe('The version of oEmbed.'),
    type: z.literal('rich').describe('Always `rich`: show `html`.'),
    title: z.string().meta({ description: 'The title of the page.', examples: ['Tea or coffee?'] }),
    author_name: z.string().meta({ description: 'The name of the brand.', examples: ['Corner Café'] }),
    author_url: url.meta({ description: 'The page of the brand.', examples: [`${PROVIDER}/b/corner-cafe`] }),
    provider_name: z.literal('Tossup').describe('The name of this service.'),
    provider_url: url.meta({ description: 'The address of this service.', examples: [PROVIDER] }),
    html: z.string().meta({
      description: 'The HTML of the frame to put into a page.',
      examples: [`<iframe src="${PROVIDER}/embed/poll/Xk3_pQ9vZ2Lm" width="600" height="540"></iframe>`],
    }),
    width: count.meta({ description: 'The width of the frame in pixels.', examples: [WIDTH] }),
    height: count.meta({ description: 'The height of the frame in pixels.', examples: [540] }),
    thumbnail_url: url.optional().meta({
      description: 'The share picture of the page; absent if it exceeds the requested size.',
      examples: [`${PROVIDER}/p/Xk3_pQ9vZ2Lm/card.jpg`],
    }),
    thumbnail_width: count.optional().meta({ description: 'The width of that picture.', examples: [CARD_WIDTH] }),
    thumbnail_height: count.optional().meta({ description: 'The height of that picture.', examples: [CARD_HEIGHT] }),
  })
  .meta({ id: 'OEmbed', description: 'An embeddable page, in the format of oEmbed 1.0.' })

type OEmbed = z.infer<typeof oEmbed>

/** Follows https://oembed.com. Omits the picture if it exceeds the requested size. */
function presentOEmbed(
  subject: Subject,
  { publicUrl, looks, maxwidth = WIDTH, maxheight }: Bounds & { publicUrl: string; looks: URLSearchParams },
): OEmbed {
  const { path, heightOf } = SHOWN[subject.element]
  const width = Math.min(WIDTH, maxwidth)
  const height = Math.min(heightOf(width), maxheight ?? Number.POSITIVE_INFINITY)
  const query = looks.size > 0 ? `?${looks}` : ''
  const src = `${publicUrl}/embed/${path}/${subject.reference.value}${query}`
  const scheme = schemeOf(themeWith(subject.theme, Object.fromEntries(looks)))
  // The scheme of the page in it: a frame of another one has an opaque ground. `frameborder`: WordPress removes styles.
  const colorScheme = scheme === 'light' || scheme === 'dark' ? scheme : 'light dark'
  const frame = html`<iframe src="${src}" title="${subject.title}" width="${width}" height="${height}" frameborder="0" style="border:0;max-width:100%;color-scheme:${colorScheme}" loading="lazy" allow="web-share; clipboard-write"></iframe>`
  return {
    version: '1.0',
    type: 'rich',
    title: subject.title,
    author_name: subject.brandName,
    author_url: `${publicUrl}/b/${subject.brandSlug}`,
    provider_name: 'Tossup',
    provider_url: publicUrl,
    html: frame.toString(),
    width,
    height,
  }
}

/** Only where it fits the requested size, as oEmbed demands. */
const thumbnailOf = (
  subject: Subject,
  { maxwidth = Number.POSITIVE_INFINITY, maxheight = Number.POSITIVE_INFINITY }: Bounds,
): Pick<OEmbed, 'thumbnail_url' | 'thumbnail_width' | 'thumbnail_height'> =>
  maxwidth < CARD_WIDTH || maxheight < CARD_HEIGHT
    ? {}
    : { thumbnail_url: cardUrl(subject), thumbnail_width: CARD_WIDTH, thumbnail_height: CARD_HEIGHT }

/** XML allows no other control characters than these three. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are removed
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

function oEmbedXml(values: OEmbed): string {
  const fields = Object.entries(values).map(
    ([name, value]) => `<${name}>${html`${String(value).replace(NOT_IN_XML, '')}`}</${name}>`,
  )
  return `<?xml version="1.0" encoding="utf-8" standalone="yes"?>\n<oembed>${fields.join('')}</oembed>\n`
}

const pixels = z.coerce.number().int().min(1).max(100_000).optional()
const PAGE = 'https://polls.example.com/p/Xk3_pQ9vZ2Lm'

const FORMATS: Readonly<Record<string, { type: string; write(values: OEmbed): string }>> = {
  json: { type: 'application/json', write: JSON.stringify },
  xml: { type: 'text/xml; charset=utf-8', write: oEmbedXml },
}

/** Unlisted pages can be shown by their address too. */
export const oEmbedRoutes = ({ config: { publicUrl } }: Pick<Deps, 'config'>, find: FindSubjects): Route[] => [
  route({
    ...outside,
    path: '/oembed',
    name: 'getOEmbed',
    query: z.object({
      url: z
        .url()
        .max(2_048)
        .meta({ description: 'The address of a page of this service.', examples: [PAGE] }),
      format: z.string().min(1).max(16).default('json').describe('`json` or `xml`.'),
      maxwidth: pixels.describe('The maximum width in pixels.'),
      maxheight: pixels.describe('The maximum height in pixels.'),
    }),
    answers: {
      200: {
        description: 'A frame.',
        contentType: 'application/json',
        schema: oEmbed,
        otherTypes: ['text/xml'],
        headers: { always: ['ETag'] },
      },
    },
    errors: ['NOT_FOUND', 'FORMAT_NOT_SUPPORTED'],
    async handle({ query: { url, format, ...bounds }, now }) {
      const written = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined
      if (!written) throw new AppError('FORMAT_NOT_SUPPORTED', { details: { formats: Object.keys(FORMATS) } })
      const address = readPageAddress(url, publicUrl)
      const findIt = address && { p: find.poll, c: find.campaign, b: find.feed }[address.kind]
      const found = await findIt?.(address?.reference ?? '', now)
      if (!found || !address) throw notFound()
      const { looks } = address
      const subject = found.subject({})
      const values = { ...presentOEmbed(subject, { ...bounds, publicUrl, looks }), ...thumbnailOf(subject, bounds) }
      const body = written.write(values)
      const headers = {
        'Content-Type': written.type,
        ETag: etagOf(body),
        ...publicCaching(now, found),
      }
      return { status: 200, body, headers }
    },
  }),
]
