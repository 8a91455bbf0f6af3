import type { OptionView, PollView } from '../../../../embed/src/poll-view.ts'
import { renderPoll } from '../../../../embed/src/render/render-poll.ts'
import { themeWith } from '../../../../embed/src/theme/looks.ts'
import type { OwnTheme } from '../../../../sdk/src/index.ts'
import type { PickedPicture } from '../../parts/pictures/picked-picture.ts'
import { cardSchemeOf } from '../../parts/polls/card-scheme.ts'
import { formWords } from '../../words/form-words.ts'
import { language, words } from '../../words/words.ts'
import type { OptionDraft, PollDraft } from './poll-draft.ts'

/** A picture that is not uploaded yet has an address which the renderer refuses: this one stands for it. */
const stand = (slot: string) => `https://preview.invalid/${slot}`

/** A new field of an option does not compile until the preview has it. */
const optionView = (option: OptionDraft, fallback: string, slot: string): Required<Omit<OptionView, 'shuffled'>> => {
  const { label, picture, alt, fit, focusX, focusY } = option
  return {
    label: label.trim() || fallback,
    imageUrl: picture?.file ? stand(slot) : (picture?.url ?? null),
    imageAlt: alt.trim() || null,
    fit,
    focusX,
    focusY,
  }
}

/** The poll as a visitor sees it before voting. */
function viewOf(draft: PollDraft, brandName: string): PollView & Pick<Required<PollView>, 'resultsBeforeVote'> {
  const { edit } = words()
  const its = formWords().poll
  return {
    id: 'preview',
    title: draft.title.trim() || edit.questionPlaceholder,
    optionA: optionView(draft.optionA, its.optionA, 'optionA'),
    optionB: optionView(draft.optionB, its.optionB, 'optionB'),
    images: { combined: null },
    imageVariants: [],
    tallies: { optionA: 0, optionB: 0, total: 0, ...(draft.resultsVisibility === 'always' ? {} : { hidden: true }) },
    status: 'open',
    brand: { name: brandName },
    resultsVisibility: draft.resultsVisibility,
    resultsBeforeVote: draft.resultsBeforeVote,
  }
}

interface Shown {
  readonly draft: PollDraft
  readonly theme: OwnTheme
  readonly brandName: string
  readonly scheme: 'light' | 'dark'
  /** Without the question, the brand and its logo. */
  readonly isBare?: boolean
}

/** The markup that visitors get, with the pictures that wait for their upload: their addresses are made by the browser. */
export function markupOf({ draft, theme, brandName, scheme, isBare = false }: Shown): string {
  const options = { lang: language.lang, hideTitle: isBare, hideBrand: isBare }
  const shown = themeWith(theme, { theme: cardSchemeOf(theme, scheme) })
  const markup = renderPoll(viewOf(draft, brandName), shown, options)
  const withPicture = (text: string, slot: string, picture: PickedPicture) =>
    picture?.file ? text.replaceAll(stand(slot), () => picture.url) : text
  return withPicture(withPicture(markup, 'optionA', draft.optionA.picture), 'optionB', draft.optionB.picture)
}
