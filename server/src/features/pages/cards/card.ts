import { createHash } from 'node:crypto'
import { type Share, sharesIn } from '../../../../../embed/src/results.ts'
import { Cache } from '../../../base/cache.ts'
import { unavailable } from '../../../base/errors.ts'
import { SingleFlight } from '../../../base/work/single-flight.ts'
import type { BrandSummary, PublicBrand } from '../../../events/resources/brand.ts'
import type { PublicCampaign } from '../../../events/resources/campaign.ts'
import type { PollListItem } from '../../../events/resources/poll.ts'
import type { Theme } from '../../../events/resources/theme.ts'
import { etagOf } from '../../../http/answers/caching.ts'

const MOST_BYTES = 32 * 1024 * 1024
const MOST_WAITING = 32
const RETRY_SECONDS = 2

interface DrawnCard {
  readonly bytes: Blob
  readonly etag: string
}

/** Drawn cards. Requests for a card that is being drawn share the drawing; too many waiting cards are 503. */
export class KeptCards {
  readonly #kept: Cache<string, DrawnCard>
  readonly #drawing = new SingleFlight<string, DrawnCard>()

  constructor(mostBytes = MOST_BYTES) {
    this.#kept = new Cache(mostBytes, ({ bytes }) => bytes.size)
  }

  async find(version: string, draw: () => Promise<Uint8Array>): Promise<DrawnCard> {
    const kept = this.#kept.get(version)
    if (kept) return kept
    if (this.#drawing.size >= MOST_WAITING && !this.#drawing.has(version)) {
      throw unavailable(RETRY_SECONDS, { reason: 'the queue of share pictures is full' })
    }
    return this.#drawing.run(version, () => this.#draw(version, draw))
  }

  async #draw(version: string, draw: () => Promise<Uint8Array>): Promise<DrawnCard> {
    const bytes = await draw()
    const card = { bytes: new Blob([bytes]), etag: etagOf(bytes) }
    this.#kept.set(version, card)
    return card
  }
}

/** The content of a share picture. */
export interface Card {
  readonly title: string
  readonly brandName: string
  readonly theme: Pick<Theme, 'accent' | 'background' | 'foreground' | 'radius' | 'fontStack' | 'hideWatermark'>
  /** None on the card of a brand. */
  readonly sides: readonly CardSide[]
  /** The combined picture where the options have none, or the brand's. */
  readonly picture: string | null
  /** Above the title; null on the card of a brand, where it is the picture. */
  readonly logo: string | null
}

export interface CardSide {
  readonly label: string
  readonly picture: string | null
  /** In English, because a card is one picture for all visitors; null where results are not public or there are no votes. */
  readonly share: Share | null
}

/** Increase it when the design of cards changes, so that messengers fetch them again. */
const DESIGN = 3
const COARSE = 5

/**
 * Changes with everything drawn, but with results only in steps, so that not every vote makes a new picture. Rounded up,
 * because a picture is cached by its version: the first vote of a side and a new leader are steps.
 */
export function cardVersion(card: Card): string {
  const sides = card.sides.map((side) => ({
    ...side,
    share: side.share === null ? null : Math.ceil(side.share.length / COARSE),
  }))
  const drawn = JSON.stringify([DESIGN, { ...card, sides }])
  return createHash('sha256').update(drawn).digest('base64url').slice(0, 12)
}

export const pollCard = (poll: PollListItem): Card => {
  const { title, optionA, optionB, tallies } = poll
  const shares = tallies.hidden || tallies.total === 0 ? { A: null, B: null } : sharesIn('en', tallies)
  return {
    title,
    ...brandOn(poll.brand),
    sides: [
      { label: optionA.label, picture: optionA.imageUrl, share: shares.A },
      { label: optionB.label, picture: optionB.imageUrl, share: shares.B },
    ],
    picture: optionA.imageUrl === null && optionB.imageUrl === null ? poll.images.combined : null,
  }
}

/** The first poll under the campaign's title, without results, since those are not the campaign's. */
export function campaignCard({ title, brand, polsts: [first] }: PublicCampaign): Card {
  const { sides, picture } = first ? pollCard(first) : { sides: [], picture: null }
  return { title, ...brandOn(brand), sides: sides.map((side) => ({ ...side, share: null })), picture }
}

export const brandCard = (brand: PublicBrand): Card => ({
  title: brand.displayName ?? brand.name,
  ...brandOn(brand),
  sides: [],
  picture: brand.theme.logoLightUrl ?? brand.theme.logoDarkUrl,
  logo: null,
})

function brandOn(brand: BrandSummary | null): Pick<Card, 'brandName' | 'theme' | 'logo'> {
  if (!brand) throw new Error('a card without a brand')
  const { accent, background, foreground, radius, fontStack, hideWatermark, logoLightUrl, logoDarkUrl } = brand.theme
  return {
    brandName: brand.name,
    theme: { accent, background, foreground, radius, fontStack, hideWatermark },
    logo: logoLightUrl ?? logoDarkUrl,
  }
}
