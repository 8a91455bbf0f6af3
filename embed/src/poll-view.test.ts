import { expect, test } from 'bun:test'
import type { Poll } from '../../sdk/src/openapi.ts'
import type { PollView } from './poll-view.ts'

type IsShown = { readonly [Field in keyof Poll]: Field extends keyof PollView ? true : false }

/** A new field of a poll does not compile until somebody decides whether a card shows it. */
const FIELDS: IsShown = {
  id: true,
  slug: false,
  title: true,
  optionA: true,
  optionB: true,
  images: true,
  imageVariants: true,
  tallies: true,
  status: true,
  brand: true,
  createdAt: false,
  isDraft: false,
  isPrivate: false,
  updatedAt: false,
  tags: false,
  categories: false,
  shortId: true,
  opensAt: true,
  closesAt: true,
  resultsVisibility: true,
  resultsBeforeVote: true,
  optionOrder: false,
  challenge: false,
  admission: false,
  shareUrl: false,
  revisedAt: true,
}

test('each field of a poll is shown by cards, or known not to be', async () => {
  const openapi = await Bun.file(new URL('../../server/openapi.json', import.meta.url)).json()
  expect(Object.keys(FIELDS).sort()).toEqual(Object.keys(openapi.components.schemas.Poll.properties).sort())
})
