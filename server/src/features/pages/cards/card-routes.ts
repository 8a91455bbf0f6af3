import { z } from 'zod'
import { notFound } from '../../../base/errors.ts'
import type { Deps } from '../../../deps.ts'
import { anyone } from '../../../http/guard.ts'
import type { Incoming } from '../../../http/incoming.ts'
import { type Reply, unlessKnown } from '../../../http/reply.ts'
import { type Route, route } from '../../../http/route.ts'
import { CardDrawer } from '../../../storage/cards/card-drawer.ts'
import { cardPicture } from '../../../storage/cards/card-picture.ts'
import { brandParams } from '../../brands/schema.ts'
import { campaignParams } from '../../campaigns/schema.ts'
import { pollParams } from '../../polls/schema.ts'
import { publicUrl } from '../../uploads/files.ts'
import type { Find, FindSubjects } from '../find-subjects.ts'
import { type Card, cardVersion } from './card.ts'
import { layoutOf } from './card-layout.ts'
import { cardSvg } from './card-svg.ts'
import { KeptCards } from './kept-cards.ts'

const query = z.object({
  v: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .optional(),
})
const answers = { 200: { description: 'A JPEG of 1200 by 630 pixels.', contentType: 'image/jpeg' } }
const common = {
  method: 'GET',
  isOutside: true,
  guard: anyone,
  caching: 'own',
  query,
  answers,
  errors: ['NOT_FOUND'],
} as const

/** Pictures by which pages are shared. An address with an old version answers with the present picture. */
export function cardRoutes(deps: Deps, find: FindSubjects): Route[] {
  const cards = new KeptCards()
  const drawer = new CardDrawer()
  const fileAddress = publicUrl(deps, '')

  /** Only files of ours: no address is ever asked for. */
  async function readPicture(url: string, box: { width: number; height: number }): Promise<string | null> {
    return url.startsWith(fileAddress) ? cardPicture(deps, url.slice(fileAddress.length), box) : null
  }

  const draw = (card: Card) =>
    drawer.draw(async () => {
      const shown = (await hasItsLogo(card)) ? card : { ...card, picture: null }
      return cardSvg(shown, layoutOf(shown), readPicture)
    })

  /** A brand whose logo is gone, or is not one to be drawn, has its name in that place. */
  async function hasItsLogo(card: Card): Promise<boolean> {
    const { picture: room } = layoutOf(card)
    return (
      card.sides.length > 0 ||
      card.picture === null ||
      room === null ||
      (await readPicture(card.picture, room)) !== null
    )
  }

  interface Asked {
    readonly incoming: Incoming
    readonly query: z.output<typeof query>
    readonly now: number
  }

  async function reply(findIt: Find, reference: string, { incoming, query: { v }, now }: Asked): Promise<Reply> {
    const found = await findIt(reference, now)
    if (!found) throw notFound()
    const card = found.card()
    const version = cardVersion(card)
    const { bytes, etag } = await cards.find(version, () => draw(card))
    const headers = {
      'Content-Type': 'image/jpeg',
      ETag: etag,
      'Cache-Control': `public, max-age=${v === version ? 3600 : 60}`,
      'Cross-Origin-Resource-Policy': 'cross-origin',
    }
    return unlessKnown(incoming, { status: 200, body: bytes, headers })
  }

  return [
    route({
      ...common,
      path: '/p/{slug}/card.jpg',
      name: 'getPollCard',
      summary: 'The picture by which a poll is shared',
      params: pollParams,
      handle: ({ params, ...asked }) => reply(find.poll, params.slug, asked),
    }),
    route({
      ...common,
      path: '/c/{campaignId}/card.jpg',
      name: 'getCampaignCard',
      summary: 'The picture by which a campaign is shared',
      params: campaignParams,
      handle: ({ params, ...asked }) => reply(find.campaign, params.campaignId, asked),
    }),
    route({
      ...common,
      path: '/b/{brandSlug}/card.jpg',
      name: 'getBrandCard',
      summary: "The picture by which a brand's polls are shared",
      params: brandParams,
      handle: ({ params, ...asked }) => reply(find.feed, params.brandSlug, asked),
    }),
  ]
}
