import { createHash } from 'node:crypto'
import { sharesOf } from '../../../../../embed/src/results.ts'
import type { BrandSummary, PublicBrand } from '../../brands/schema.ts'
import type { PublicCampaign } from '../../campaigns/schema.ts'
import type { PollListItem } from '../../polls/schema.ts'
import type { Theme } from '../../themes/schema.ts'

/** The picture by which a page is shared: all that stands on it. */
export interface Card {
  readonly title: string
  readonly brandName: string
  readonly theme: Pick<Theme, 'accent' | 'background' | 'foreground' | 'radius' | 'hideWatermark'>
  /** None on the card of a brand. */
  readonly sides: readonly CardSide[]
  /** Of both options where they have none of their own, or of the brand. */
  readonly picture: string | null
}

export interface CardSide {
  readonly label: string
  readonly picture: string | null
  /** Whole percent; null where not everybody may see them, or nobody has voted. */
  readonly share: number | null
}

/** To be raised when cards come to look otherwise: messengers then fetch them anew. */
const DESIGN = 1
const COARSE = 5

/** Changes with all that is drawn, but with results only by steps: not each vote is a new picture for everybody. */
export function cardVersion(card: Card): string {
  const sides = card.sides.map((side) => ({
    ...side,
    share: side.share === null ? null : Math.round(side.share / COARSE),
  }))
  const drawn = JSON.stringify([DESIGN, { ...card, sides }])
  return createHash('sha256').update(drawn).digest('base64url').slice(0, 12)
}

export const pollCard = (poll: PollListItem): Card => {
  const { title, optionA, optionB, tallies } = poll
  const shares = tallies.hidden || tallies.total === 0 ? { A: null, B: null } : sharesOf(poll)
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

/** The first poll under the title of the campaign, without its results: they are not those of the campaign. */
export function campaignCard({ title, brand, polsts: [first] }: PublicCampaign): Card {
  const { sides, picture } = first ? pollCard(first) : { sides: [], picture: null }
  return { title, ...brandOn(brand), sides: sides.map((side) => ({ ...side, share: null })), picture }
}

export const brandCard = (brand: PublicBrand): Card => ({
  title: brand.displayName ?? brand.name,
  ...brandOn(brand),
  sides: [],
  picture: brand.theme.logoLightUrl ?? brand.theme.logoDarkUrl,
})

function brandOn(brand: BrandSummary | null): Pick<Card, 'brandName' | 'theme'> {
  if (!brand) throw new Error('a card without a brand')
  const { accent, background, foreground, radius, hideWatermark } = brand.theme
  return { brandName: brand.name, theme: { accent, background, foreground, radius, hideWatermark } }
}
