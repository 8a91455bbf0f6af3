// features/pages/cards: lays out the card by which a page is shared, and keeps it.

import { z } from 'zod'
import type { Deps } from '../../../deps.ts'
import type { Route } from '../../../http/route.ts'
import { CardDrawer } from '../../../storage/cards/card-drawer.ts'
import { cardPicture } from '../../../storage/cards/card-picture.ts'
import { publicUrl } from '../../uploads/files.ts'
import type { FindSubjects } from '../find-subjects.ts'
import { routesBesidePages } from '../routes-beside-pages.ts'
import { type Card, cardVersion } from './card.ts'
import { layoutOf } from './card-layout.ts'
import { cardSvg } from './card-svg.ts'
import { KeptCards } from './kept-cards.ts'

const query = z.object({
  v: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .optional()
    .meta({ description: 'The version that a page has seen: its picture may be cached for longer.' }),
})

/** Share pictures. An address with an old version answers with the present picture. */
export function cardRoutes(deps: Deps, find: FindSubjects): Route[] {
  const cards = new KeptCards()
  const drawer = new CardDrawer()
  const fileAddress = publicUrl(deps, '')

  /** Only files of ours: no address is ever fetched. */
  async function readPicture(url: string, box: { width: number; height: number }): Promise<string | null> {
    return url.startsWith(fileAddress) ? cardPicture(deps, url.slice(fileAddress.length), box) : null
  }

  const draw = (card: Card) =>
    drawer.draw(async () => {
      const shown = (await hasItsLogo(card)) ? card : { ...card, picture: null }
      return cardSvg(shown, layoutOf(shown), readPicture)
    })

  /** A brand whose logo is missing or cannot be drawn shows its name instead. */
  async function hasItsLogo(card: Card): Promise<boolean> {
    const { picture: room } = layoutOf(card)
    return (
      card.sides.length > 0 ||
      card.picture === null ||
      room === null ||
      (await readPicture(card.picture, room)) !== null
    )
  }

  return routesBesidePages(find, {
    file: 'card.jpg',
    name: 'Card',
    summaries: {
      poll: 'The picture by which a poll is shared',
      campaign: 'The picture by which a campaign is shared',
      brand: "The picture by which a brand's polls are shared",
    },
    query,
    answer: { description: 'A JPEG of 1200 by 630 pixels.', contentType: 'image/jpeg' },
    async reply(found, { query: { v } }) {
      const card = found.card()
      const version = cardVersion(card)
      const { bytes, etag } = await cards.find(version, () => draw(card))
      const headers = {
        'Content-Type': 'image/jpeg',
        ETag: etag,
        'Cache-Control': `public, max-age=${v === version ? 3600 : 60}`,
        'Cross-Origin-Resource-Policy': 'cross-origin',
      }
      return { status: 200, body: bytes, headers }
    },
  })
}
