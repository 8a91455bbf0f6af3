import { createHash } from 'node:crypto'
import type { Interval } from '../../../../../embed/src/insight/intervals.ts'
import type { Choice } from '../../../../../embed/src/poll-view.ts'
import { sharesIn } from '../../../../../embed/src/results.ts'
import { type Lang, votesIn } from '../../../../../embed/src/words.ts'
import type { Placement } from '../../../files/pictures/photo.ts'
import { filled, WORDS } from '../../../words/words.ts'
import { brandOn, type Card } from '../cards/card.ts'
import type { PollResult } from './read-results.ts'
import { formatsOf, intervalOf, intervalText, isBallot } from './result-parts.ts'

export const SHAPES = ['wide', 'square'] as const
export type Shape = (typeof SHAPES)[number]

/** The content of a picture of results: texts in its language, and lengths. */
export interface ResultsPicture extends Pick<Card, 'brandName' | 'logo' | 'theme'> {
  readonly shape: Shape
  readonly title: string
  readonly sides: readonly PictureSide[]
  readonly verdict: string
  /** The population that the numbers do not describe. */
  readonly limits: string
  /** Who asked whom, and when the votes were counted. */
  readonly facts: string
}

export interface PictureSide extends Placement {
  readonly label: string
  readonly picture: string | null
  readonly share: string
  /** Votes and interval. */
  readonly counts: string
  /** A percentage. */
  readonly length: number
  readonly interval: Interval | null
  readonly isAhead: boolean
}

/** Increase it when the design changes. */
const DESIGN = 1

/** Changes with everything drawn. */
export const pictureVersion = (picture: ResultsPicture): string =>
  createHash('sha256')
    .update(JSON.stringify([DESIGN, picture]))
    .digest('base64url')

export function pictureOf(
  result: PollResult,
  { shape, lang, host, now }: { shape: Shape; lang: Lang; host: string; now: number },
): ResultsPicture {
  const words = WORDS[lang].results
  const { poll, insight } = result
  const { tallies } = poll
  const brand = brandOn(poll.brand)
  const byCode = isBallot(result)
  const limits = byCode ? words.wholeCount : words.notEverybody
  const shares = sharesIn(lang, tallies)
  const side = (choice: Choice): PictureSide => {
    const { label, imageUrl, fit, focusX, focusY } = choice === 'A' ? poll.optionA : poll.optionB
    const counts = [
      votesIn(lang, choice === 'A' ? tallies.optionA : tallies.optionB),
      intervalText(insight, choice, lang),
    ]
    return {
      label,
      picture: imageUrl,
      fit,
      focusX,
      focusY,
      share: insight.votes === 0 ? '' : shares[choice].text,
      counts: counts.filter(Boolean).join(' · '),
      length: shares[choice].length,
      interval: intervalOf(insight, choice),
      isAhead: insight.leader === choice,
    }
  }
  const leader = insight.leader === 'B' ? poll.optionB.label : poll.optionA.label
  const verdicts = {
    leading: filled(words.leading, { label: leader }),
    too_close: byCode ? words.tie : words.tooClose,
    no_votes: words.noVotes,
  }
  return {
    shape,
    title: poll.title,
    sides: [side('A'), side('B')],
    verdict: verdicts[insight.verdict],
    limits: insight.verdict === 'too_close' && !byCode ? `${limits} ${words.oneLook}` : limits,
    facts: [
      votesIn(lang, insight.votes),
      formatsOf(lang).day(now),
      filled(words.from, { brand: brand.brandName }),
      host,
    ].join(' · '),
    ...brand,
    // On the light ground of a slide.
    logo: poll.brand?.theme.logoLightUrl ?? null,
  }
}
