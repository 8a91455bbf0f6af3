import type { Choice } from '../../poll-view.ts'
import { isSet } from '../../theme/looks.ts'
import { votesIn, wordsOf } from '../../words.ts'
import type { ServedPoll } from '../service.ts'
import type { PollState } from '../votes/poll-model.ts'
import { type RemarkKind, remarkKindOf } from './remark-kind.ts'

/** The coin has landed before the words come. */
const CALM_MS = 500

/** The vote that a place shows, and the kind that was chosen for it: undefined until it is chosen. */
interface Chosen {
  readonly key: string
  kind?: RemarkKind | null
}

const chosen = new WeakMap<Element, Chosen>()
const latest = new WeakMap<Element, PollState>()

export function remarkOf(poll: ServedPoll, kind: RemarkKind | null, lang: string): string {
  return kind ? wordsOf(lang)[kind].replace('#', () => votesIn(lang, poll.tallies.total)) : ''
}

/** The kind as `remarkKindOf` has it. At a kiosk nobody is told to send the poll to a friend. */
export function kindAt(element: Element | undefined, poll: ServedPoll, vote: Choice): RemarkKind | null {
  const kind = remarkKindOf(poll, vote)
  return kind === 'firstVote' && isSet(element?.getAttribute('kiosk')) ? null : kind
}

/** A place whose step was left has no host. */
const kindIn = (place: Element, poll: ServedPoll, vote: Choice): RemarkKind | null =>
  kindAt((place.getRootNode() as Partial<ShadowRoot>).host, poll, vote)

/**
 * The words below a result. They are chosen once for a vote. When the counts make them false, they go and no others come, so
 * that the line never flickers and is never false.
 */
export function remark(place: Element, state: PollState, lang: string): void {
  const { poll, vote, isKept } = state
  const line = place.querySelector('.remark')
  if (!poll || !line) return
  const key = `${poll.id} ${vote} ${isKept}`
  latest.set(place, state)
  let known = chosen.get(place)
  if (known?.key !== key) {
    known = { key }
    chosen.set(place, known)
    if (vote && !isKept) setTimeout(choose, CALM_MS, place, known, lang)
  }
  write(place, known, lang)
}

function choose(place: Element, known: Chosen, lang: string): void {
  const { poll, vote } = latest.get(place) ?? {}
  if (chosen.get(place) !== known || !poll || !vote) return
  known.kind = kindIn(place, poll, vote)
  write(place, known, lang)
}

function write(place: Element, known: Chosen, lang: string): void {
  const { poll, vote } = latest.get(place) ?? {}
  if (!poll || !vote) return
  if (poll.status !== 'open' || known.kind !== kindIn(place, poll, vote)) known.kind &&= null
  const line = place.querySelector('.remark')
  const said = line?.querySelector('em')
  const words = remarkOf(poll, known.kind ?? null, lang)
  if (words === (said?.textContent ?? '')) return
  said?.remove()
  if (words === '') return
  // An `<em>` stays when the poll is drawn again: see patch.ts.
  const next = document.createElement('em')
  next.textContent = words
  line?.append(next)
}
