import type { Choice } from '../../poll-view.ts'
import { SLOTS } from '../../render/render-choice.ts'
import { areResultsShown, sharesIn } from '../../results.ts'
import { isSet } from '../../theme/looks.ts'
import { langOf, votesIn, wordsOf } from '../../words.ts'
import type { TossupElement } from '../tossup-element.ts'
import type { PollState } from '../votes/poll-model.ts'
import { kindAt, remarkOf } from './remark.ts'

/** Read out once after a vote: the result, the words that fit it, which side is one's own, and what can be done next. */
export function sayResult(element: TossupElement, { poll, vote, shown = 'AB' }: PollState): string {
  if (!poll || !vote) return ''
  const lang = langOf(element.language)
  const { thanks, yourAnswer, below } = wordsOf(lang)
  const shares = sharesIn(lang, poll.tallies)
  // In the order in which they are seen.
  const sides = ([...shown] as Choice[]).map((choice) => `${poll[SLOTS[choice]].label} ${shares[choice].text}`)
  const result = [...sides, votesIn(lang, poll.tallies.total)].join(', ')
  const way = wayOn(element)
  return [
    areResultsShown(poll, vote) ? result : thanks,
    remarkOf(poll, kindAt(element, poll, vote), lang).replace(/[.。।]$/, ''),
    yourAnswer.replace('#', () => poll[SLOTS[vote]].label),
    way && below.replace('#', () => way),
  ]
    .filter((part) => part !== '')
    .join('. ')
    .replace(/([?؟？])\./, '$1')
}

/** The name of the button that follows the poll. */
function wayOn({ localName, language, inside, attributes }: TossupElement): string {
  if (localName === 'tossup-campaign') return inside.querySelector('.go-on')?.textContent ?? ''
  const isOff = isSet(attributes.getNamedItem('hideafter')?.value)
  return localName === 'tossup-poll' && !isOff ? wordsOf(language).shareAnswer : ''
}
