import { createHash } from 'node:crypto'
import type { Choice } from '../../../../../embed/src/poll-view.ts'
import { type Share, sharesIn } from '../../../../../embed/src/results.ts'
import { type Lang, wordsOf } from '../../../../../embed/src/words.ts'
import { Cache } from '../../../base/cache.ts'
import { unavailable } from '../../../base/errors.ts'
import { SingleFlight } from '../../../base/work/single-flight.ts'
import type { BrandSummary, PublicBrand } from '../../../events/resources/brand.ts'
import type { PublicCampaign } from '../../../events/resources/campaign.ts'
import type { PollListItem } from '../../../events/resources/poll.ts'
import type { Theme } from '../../../events/resources/theme.ts'
import type { Placement } from '../../../files/pictures/photo.ts'
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
  /** Below the title: the answer of the visitor who shared the page, or that a closed poll has no winner. */
  readonly note: string | null
  /** The answer in an address of the card. */
  readonly answer: Answer | null
  readonly brandName: string
  readonly theme: Pick<Theme, 'accent' | 'background' | 'foreground' | 'radius' | 'fontStack' | 'hideWatermark'>
  /** None on the card of a brand. */
  readonly sides: readonly CardSide[]
  /** The combined picture where the options have none, or the brand's. */
  readonly picture: string | null
  /** Above the title; null on the card of a brand, where it is the picture. */
  readonly logo: string | null
}

export interface CardSide extends Placement {
  readonly label: string
  readonly picture: string | null
  /** Whether it is the answer of the visitor who shared the page. */
  readonly isShared: boolean
  /** In English, because a card is one picture for all visitors; null where no result is shown. */
  readonly share: Share | null
}

/** The answer of the visitor who shares a page, in the language of the page. */
export interface Answer {
  readonly side: Choice
  readonly lang: Lang
}

/** Increase it when the design of cards changes, so that messengers fetch them again. */
const DESIGN = 4
const COARSE = 5
const TIE = 'Dead heat'

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

/** A visitor who has not voted sees the results of an open poll only if the brand wants it: they sway. */
function areResultsOn({ status, tallies, brand }: PollListItem): boolean {
  const isRevealed = status === 'closed' || brand?.theme.shareResults === 'SHOWN'
  return isRevealed && !tallies.hidden && tallies.total > 0
}

const noteOf = ({ lang }: Answer, label: string): string => wordsOf(lang).myAnswer.replace('#', () => label)

export function pollCard(poll: PollListItem, answer: Answer | null = null): Card {
  const { title, optionA, optionB, tallies, status } = poll
  const areShown = areResultsOn(poll)
  const shares = areShown ? sharesIn('en', tallies) : { A: null, B: null }
  const isTie = areShown && status === 'closed' && tallies.optionA === tallies.optionB
  const side = (choice: Choice, option: PollListItem['optionA']): CardSide => ({
    label: option.label,
    picture: option.imageUrl,
    fit: option.fit,
    focusX: option.focusX,
    focusY: option.focusY,
    isShared: answer?.side === choice,
    share: shares[choice],
  })
  const tie = isTie ? TIE : null
  return {
    title,
    note: answer ? noteOf(answer, answer.side === 'A' ? optionA.label : optionB.label) : tie,
    answer,
    ...brandOn(poll.brand),
    sides: [side('A', optionA), side('B', optionB)],
    picture: optionA.imageUrl === null && optionB.imageUrl === null ? poll.images.combined : null,
  }
}

/** The first poll under the campaign's title, without results, since those are not the campaign's. */
export function campaignCard({ title, brand, polsts: [first] }: PublicCampaign): Card {
  const { sides, picture } = first ? pollCard(first) : { sides: [], picture: null }
  const bare = sides.map((side) => ({ ...side, share: null }))
  return { title, note: null, answer: null, ...brandOn(brand), sides: bare, picture }
}

export const brandCard = (brand: PublicBrand): Card => ({
  title: brand.displayName ?? brand.name,
  note: null,
  answer: null,
  ...brandOn(brand),
  sides: [],
  picture: brand.theme.logoLightUrl ?? brand.theme.logoDarkUrl,
  logo: null,
})

export function brandOn(brand: BrandSummary | null): Pick<Card, 'brandName' | 'theme' | 'logo'> {
  if (!brand) throw new Error('a card without a brand')
  const { accent, background, foreground, radius, fontStack, hideWatermark, logoLightUrl, logoDarkUrl } = brand.theme
  return {
    brandName: brand.name,
    theme: { accent, background, foreground, radius, fontStack, hideWatermark },
    logo: logoLightUrl ?? logoDarkUrl,
  }
}
