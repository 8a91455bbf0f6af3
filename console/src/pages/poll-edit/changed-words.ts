import type { OwnedPoll } from '../../../../sdk/src/index.ts'
import { formWords } from '../../words/form-words.ts'
import type { PollDraft } from './poll-draft.ts'
import { isMoreThanSpelling } from './wording.ts'

export interface ChangedWords {
  readonly name: string
  readonly before: string
  readonly after: string
  readonly isMoreThanSpelling: boolean
}

/** The texts that people voted on and that the draft changes. */
export function changedWords(draft: PollDraft, poll: OwnedPoll | null): readonly ChangedWords[] {
  if (!poll || poll.tallies.total === 0) return []
  const its = formWords().poll
  const texts = [
    { name: its.question, before: poll.title, after: draft.title.trim() },
    { name: its.optionA, before: poll.optionA.label, after: draft.optionA.label.trim() },
    { name: its.optionB, before: poll.optionB.label, after: draft.optionB.label.trim() },
  ]
  return texts
    .filter(({ before, after }) => after !== '' && after !== before)
    .map((text) => ({ ...text, isMoreThanSpelling: isMoreThanSpelling(text.before, text.after) }))
}
