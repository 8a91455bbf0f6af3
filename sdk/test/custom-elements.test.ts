import { expect, test } from 'bun:test'
import { LOOKS } from '../../embed/src/theme/looks.ts'
import manifest from '../custom-elements.json' with { type: 'json' }

const EVENTS = ['ready', 'voted', 'step', 'completed', 'error']
const OF_CAMPAIGNS = ['step', 'completed', 'autoAdvance']
const declarations = manifest.modules.flatMap((module) => module.declarations)

test.each([
  ['tossup-poll', 'poll'],
  ['tossup-campaign', 'campaign'],
  ['tossup-feed', 'brand'],
])('the manifest lists every attribute of <%s>, and its events by both names', (tagName, subject) => {
  const declaration = declarations.find((each) => each.tagName === tagName)
  const isMine = (name: string) => subject === 'campaign' || !OF_CAMPAIGNS.includes(name)
  const attributes = [subject, 'code', 'kiosk', ...LOOKS.filter(isMine)]
  expect(declaration?.attributes.map(({ name }) => name).sort()).toEqual(attributes.sort())
  const events = EVENTS.filter(isMine).flatMap((name) => [`tossup:${name}`, `tossup-${name}`])
  expect(declaration?.events.map(({ name }) => name).sort()).toEqual(events.sort())
})
