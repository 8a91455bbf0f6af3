import { expect, test } from 'bun:test'
import { createBody, NEW_DRAFT, type PollDraft } from './poll-draft.ts'

const placed = { fit: 'contain', focusX: 0.2, focusY: 0.7 } as const
const withPicture = (file: File | null): PollDraft => ({
  ...NEW_DRAFT,
  optionA: { label: 'Tea', alt: '', picture: { url: 'https://tossup.test/files/tea', file }, ...placed },
})

test('a stored picture is written with its place, one that waits for its upload with neither', () => {
  expect(createBody(withPicture(null)).optionA).toMatchObject({ imageUrl: 'https://tossup.test/files/tea', ...placed })
  const waiting = createBody(withPicture(new File([''], 'tea.png', { type: 'image/png' }))).optionA
  expect(Object.keys(waiting).sort()).toEqual(['imageAlt', 'label'])
})

test('without a picture nothing is placed', () => {
  const draft = { ...NEW_DRAFT, optionA: { ...NEW_DRAFT.optionA, ...placed } }
  expect(createBody(draft).optionA).toMatchObject({ fit: 'cover', focusX: 0.5, focusY: 0.5 })
})

test('results are offered before the vote only where they are public', () => {
  const draft: PollDraft = { ...NEW_DRAFT, resultsBeforeVote: true }
  expect(createBody(draft).resultsBeforeVote).toBe(true)
  for (const resultsVisibility of ['after_vote', 'after_close', 'never'] as const)
    expect(createBody({ ...draft, resultsVisibility }).resultsBeforeVote).toBe(false)
})
