// features/pages/cards: lays out the share card of a page, and caches it.

import { z } from 'zod'
import { LANGS } from '../../../../../embed/src/words.ts'
import type { CardDrawer } from '../../../files/cards/card-drawer.ts'
import type { Route } from '../../../http/route.ts'
import type { Deps } from '../../deps.ts'
import { publicUrl } from '../../uploads/files.ts'
import type { FindSubjects } from '../find-subjects.ts'
import { routesBesidePages } from '../routes-beside-pages.ts'
import { type Card, cardVersion, KeptCards } from './card.ts'
import { type Layout, layoutOf, textsOf } from './card-layout.ts'
import { cardPicture, cardSvg, type ReadPicture } from './card-svg.ts'

const query = z.object({
  v: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .optional()
    .meta({ description: 'The version of the picture, which makes it cacheable for longer.' }),
  side: z
    .enum(['A', 'B'])
    .optional()
    .meta({
      description: 'Of a poll: the answer to show as that of the visitor who shares it.',
      examples: ['A'],
    }),
  lang: z
    .enum(LANGS)
    .optional()
    .meta({ description: 'The language of the words about that answer.', examples: ['de'] }),
})

/** Reads only stored files: no URL is ever fetched. */
export function pictureReader(deps: Deps): ReadPicture {
  const files = publicUrl(deps, '')
  return async (url, box) => (url.startsWith(files) ? cardPicture(deps, url.slice(files.length), box) : null)
}

/** Share pictures. An address with an old version answers with the present picture. */
export function cardRoutes(deps: Deps, find: FindSubjects, drawer: CardDrawer): Route[] {
  const cards = new KeptCards()
  const readPicture = pictureReader(deps)

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
    query,
    answer: {
      description: 'A JPEG of 1200 by 630 pixels.',
      contentType: 'image/jpeg',
      headers: { always: ['ETag', 'Cross-Origin-Resource-Policy'] },
    },
    async reply(found, { query: { v, side, lang = 'en' } }) {
      const card = found.card(side ? { side, lang } : null)
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
