// features/pages/cards: lays out the share card of a page, and caches it.

import { z } from 'zod'
import { CardDrawer } from '../../../files/cards/card-drawer.ts'
import { cardPicture } from '../../../files/cards/card-picture.ts'
import type { Route } from '../../../http/route.ts'
import type { Deps } from '../../deps.ts'
import { publicUrl } from '../../uploads/files.ts'
import type { FindSubjects } from '../find-subjects.ts'
import { routesBesidePages } from '../routes-beside-pages.ts'
import { type Card, cardVersion, KeptCards } from './card.ts'
import { type Layout, layoutOf, textsOf } from './card-layout.ts'
import { cardSvg } from './card-svg.ts'

const query = z.object({
  v: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .optional()
    .meta({ description: 'The version of the picture, which makes it cacheable for longer.' }),
})

/** Share pictures. An address with an old version answers with the present picture. */
export function cardRoutes(deps: Deps, find: FindSubjects): Route[] {
  const cards = new KeptCards()
  const drawer = new CardDrawer(deps.isolation)
  const fileAddress = publicUrl(deps, '')

  /** Reads only stored files: no URL is ever fetched. */
  async function readPicture(url: string, box: { width: number; height: number }): Promise<string | null> {
    return url.startsWith(fileAddress) ? cardPicture(deps, url.slice(fileAddress.length), box) : null
  }

  const draw = (card: Card) =>
    drawer.draw(async () => {
      const shaped = await drawer.shape(textsOf(card))
      const layout = layoutOf(card, shaped)
      if (await hasItsLogo(card, layout)) return cardSvg(card, layout, readPicture)
      const named = { ...card, picture: null }
      return cardSvg(named, layoutOf(named, shaped), readPicture)
    })

  /** A brand whose logo is missing or cannot be drawn shows its name instead. */
  async function hasItsLogo({ sides, picture }: Card, { picture: room }: Layout): Promise<boolean> {
    return sides.length > 0 || picture === null || room === null || (await readPicture(picture, room)) !== null
  }

  return routesBesidePages(find, {
    file: 'card.jpg',
    name: 'Card',
    tag: 'Pages',
    description:
      'Social networks show it with a link to the page. Cacheable for an hour with the current version in `v`, otherwise for a minute.',
    summaryOf: (what) => `The share picture of a ${what}`,
    query,
    answer: {
      description: 'A JPEG of 1200 by 630 pixels.',
      contentType: 'image/jpeg',
      headers: { always: ['ETag', 'Cross-Origin-Resource-Policy'] },
    },
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
