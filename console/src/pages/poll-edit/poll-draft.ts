import type { OwnedPoll, PollCreate, PollUpdate } from '../../../../sdk/src/index.ts'
import { changedTime, localOf, utcOf } from '../../parts/local-time.ts'
import type { PickedPicture } from '../../parts/pictures/picked-picture.ts'
import { words } from '../../words/words.ts'

export interface OptionDraft {
  readonly label: string
  readonly picture: PickedPicture
  readonly alt: string
}

/** The poll as it stands in the form: times are local, as inputs want them. */
export interface PollDraft {
  readonly title: string
  readonly optionA: OptionDraft
  readonly optionB: OptionDraft
  readonly opensAt: string
  readonly closesAt: string
  readonly resultsVisibility: OwnedPoll['resultsVisibility']
  readonly tags: string
  readonly categoryIds: readonly string[]
  readonly isPrivate: boolean
  readonly slug: string
}

const NO_OPTION: OptionDraft = { label: '', picture: null, alt: '' }

export const NEW_DRAFT: PollDraft = {
  title: '',
  optionA: NO_OPTION,
  optionB: NO_OPTION,
  opensAt: '',
  closesAt: '',
  resultsVisibility: 'always',
  tags: '',
  categoryIds: [],
  isPrivate: false,
  slug: '',
}

const optionOf = ({ label, imageUrl, imageAlt }: OwnedPoll['optionA']): OptionDraft => ({
  label,
  picture: imageUrl === null ? null : { url: imageUrl, file: null },
  alt: imageAlt ?? '',
})

export const draftOf = (poll: OwnedPoll): PollDraft => ({
  title: poll.title,
  optionA: optionOf(poll.optionA),
  optionB: optionOf(poll.optionB),
  opensAt: localOf(poll.opensAt),
  closesAt: localOf(poll.closesAt),
  resultsVisibility: poll.resultsVisibility,
  tags: poll.tags.join(', '),
  categoryIds: poll.categories.map(({ id }) => id),
  isPrivate: poll.isPrivate,
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

const written = ({ label, alt }: OptionDraft) => ({ label: label.trim(), imageAlt: alt.trim() || null })

function common(draft: PollDraft) {
  const { title, resultsVisibility, isPrivate, categoryIds, tags } = draft
  return {
    title: title.trim(),
    optionA: written(draft.optionA),
    optionB: written(draft.optionB),
    resultsVisibility,
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
    opensAt: changedTime(draft.opensAt, before.opensAt),
    closesAt: changedTime(draft.closesAt, before.closesAt),
  }
}

export type FieldErrors = Readonly<Record<string, string>>

/** Client-side validation errors, keyed by the API's field paths. */
export function problemsOf(draft: PollDraft): FieldErrors {
  const { edit } = words()
  const { opensAt, closesAt } = draft
  return {
    ...(draft.title.trim() ? {} : { title: edit.required }),
    ...(draft.optionA.label.trim() ? {} : { 'optionA.label': edit.required }),
    ...(draft.optionB.label.trim() ? {} : { 'optionB.label': edit.required }),
    ...(opensAt && closesAt && opensAt >= closesAt ? { opensAt: edit.order } : {}),
  }
}
