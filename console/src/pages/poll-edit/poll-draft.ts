import type { OwnedPoll, PollCreate, PollUpdate } from '../../../../sdk/src/index.ts'
import { changedTime, localOf, utcOf } from '../../parts/local-time.ts'
import type { FieldErrors } from '../../parts/messages/messages.ts'
import type { PickedPicture } from '../../parts/pictures/picked-picture.ts'
import { words } from '../../words/words.ts'
import { listProblem } from '../codes/list-problem.ts'

/** How the picture of an option is placed in its frame. */
export type Placing = Pick<OwnedPoll['optionA'], 'fit' | 'focusX' | 'focusY'>

export interface OptionDraft extends Readonly<Placing> {
  readonly label: string
  readonly picture: PickedPicture
  readonly alt: string
}

/** The placing of a picture that nobody has placed. */
export const UNPLACED: Placing = { fit: 'cover', focusX: 0.5, focusY: 0.5 }

/** The poll as it stands in the form: times are local, as inputs want them. */
export interface PollDraft {
  readonly title: string
  readonly optionA: OptionDraft
  readonly optionB: OptionDraft
  readonly opensAt: string
  readonly closesAt: string
  readonly resultsVisibility: OwnedPoll['resultsVisibility']
  readonly resultsBeforeVote: boolean
  readonly optionOrder: OwnedPoll['optionOrder']
  readonly tags: string
  readonly categoryIds: readonly string[]
  readonly isPrivate: boolean
  /** Null where everybody may vote. */
  readonly codeListId: string | null
  readonly slug: string
}

const NO_OPTION: OptionDraft = { label: '', picture: null, alt: '', ...UNPLACED }

export const NEW_DRAFT: PollDraft = {
  title: '',
  optionA: NO_OPTION,
  optionB: NO_OPTION,
  opensAt: '',
  closesAt: '',
  resultsVisibility: 'always',
  resultsBeforeVote: false,
  optionOrder: 'fixed',
  tags: '',
  categoryIds: [],
  isPrivate: false,
  codeListId: null,
  slug: '',
}

const optionOf = ({ label, imageUrl, imageAlt, fit, focusX, focusY }: OwnedPoll['optionA']): OptionDraft => ({
  label,
  picture: imageUrl === null ? null : { url: imageUrl, file: null },
  alt: imageAlt ?? '',
  fit,
  focusX,
  focusY,
})

export const draftOf = (poll: OwnedPoll): PollDraft => ({
  title: poll.title,
  optionA: optionOf(poll.optionA),
  optionB: optionOf(poll.optionB),
  opensAt: localOf(poll.opensAt),
  closesAt: localOf(poll.closesAt),
  resultsVisibility: poll.resultsVisibility,
  resultsBeforeVote: poll.resultsBeforeVote,
  optionOrder: poll.optionOrder,
  tags: poll.tags.join(', '),
  categoryIds: poll.categories.map(({ id }) => id),
  isPrivate: poll.isPrivate,
  codeListId: poll.codeListId,
  slug: poll.slug,
})

const tagsOf = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean),
  ),
]

/** Places the picture in a request. A new field of an option does not compile until it is here, or among those of `Placing` that are left out. */
export const placingOf = ({ fit, focusX, focusY }: Placing): Placing => ({ fit, focusX, focusY })

/** A picture that waits for its upload is placed once it is there: until then the stored one stays as it is. */
const written = (option: OptionDraft) => ({
  label: option.label.trim(),
  imageAlt: option.alt.trim() || null,
  ...(option.picture?.file ? {} : placingOf(option.picture ? option : UNPLACED)),
})

/** Where results are not public, there is nothing to show before the vote. */
export const mayShowBefore = ({ resultsVisibility }: Pick<PollDraft, 'resultsVisibility'>): boolean =>
  resultsVisibility === 'always'

function common(draft: PollDraft) {
  const { title, resultsVisibility, resultsBeforeVote, optionOrder, isPrivate, categoryIds, tags } = draft
  return {
    title: title.trim(),
    optionA: written(draft.optionA),
    optionB: written(draft.optionB),
    resultsVisibility,
    resultsBeforeVote: resultsBeforeVote && mayShowBefore(draft),
    optionOrder,
    isPrivate,
    categoryIds: [...categoryIds],
    tags: tagsOf(tags),
  }
}

/** A copy starts at once and is open: the times of the other have passed, or will soon. */
export const copyOf = (poll: OwnedPoll): PollDraft => ({ ...draftOf(poll), opensAt: '', closesAt: '', slug: '' })

/** The stored picture of the poll that was copied serves both: a file belongs to the brand. */
const withStored = (option: OptionDraft) => {
  const { picture } = option
  return { ...written(option), ...(picture?.file === null ? { imageUrl: picture.url } : {}) }
}

/** Fields of a new poll that the form does not ask for. */
type NotAsked = 'isDraft' | 'challenge'

/** A field of a new poll that the form neither asks for nor leaves out by name does not compile. */
export const createBody = (draft: PollDraft): Required<Omit<PollCreate, NotAsked | 'slug'>> & { slug?: string } => ({
  ...common(draft),
  optionA: withStored(draft.optionA),
  optionB: withStored(draft.optionB),
  codeListId: draft.codeListId,
  opensAt: utcOf(draft.opensAt),
  closesAt: utcOf(draft.closesAt),
  ...(draft.slug.trim() ? { slug: draft.slug.trim() } : {}),
})

/** A removed picture is written as null; a new one is set once it is uploaded. */
export function updateBody(draft: PollDraft, before: OwnedPoll): PollUpdate {
  const body = common(draft)
  const option = (name: 'optionA' | 'optionB') => ({
    ...body[name],
    ...(draft[name].picture === null && before[name].imageUrl !== null ? { imageUrl: null } : {}),
  })
  return {
    ...body,
    optionA: option('optionA'),
    optionB: option('optionB'),
    ...(draft.codeListId === before.codeListId ? {} : { codeListId: draft.codeListId }),
    opensAt: changedTime(draft.opensAt, before.opensAt),
    closesAt: changedTime(draft.closesAt, before.closesAt),
  }
}

/** Client-side validation errors, keyed by the API's field paths. */
export function problemsOf(draft: PollDraft): FieldErrors {
  const { edit } = words()
  const { opensAt, closesAt } = draft
  return {
    ...(draft.title.trim() ? {} : { title: edit.required }),
    ...(draft.optionA.label.trim() ? {} : { 'optionA.label': edit.required }),
    ...(draft.optionB.label.trim() ? {} : { 'optionB.label': edit.required }),
    ...(opensAt && closesAt && opensAt >= closesAt ? { opensAt: edit.order } : {}),
    ...listProblem(draft.codeListId),
  }
}
