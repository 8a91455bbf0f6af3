import { expect, test } from 'bun:test'
import { VISIBILITIES } from '../../events/resources/poll.ts'
import { areResultsHidden, popularityOf, presentTallies, type Viewer } from './status.ts'

const poll = (results_visibility: string) => ({
  results_visibility,
  opens_at: 100,
  closes_at: 200,
  archived_at: null,
  option_a: 2,
  option_b: 3,
})

const SHOWN = { optionA: 2, optionB: 3, total: 5 }
const HIDDEN = { optionA: 0, optionB: 0, total: 0, hidden: true as const }
const MOMENTS = { scheduled: 99, opening: 100, lastMoment: 199, closing: 200 }

test.each<[string, Viewer, (keyof typeof MOMENTS)[]]>([
  ['always', 'public', ['scheduled', 'opening', 'lastMoment', 'closing']],
  ['always', 'voter', ['scheduled', 'opening', 'lastMoment', 'closing']],
  ['after_vote', 'public', []],
  ['after_vote', 'voter', ['scheduled', 'opening', 'lastMoment', 'closing']],
  ['after_close', 'public', ['closing']],
  ['after_close', 'voter', ['closing']],
  ['never', 'public', []],
  ['never', 'voter', []],
  ['a policy of tomorrow', 'voter', []],
  ...VISIBILITIES.map((policy): [string, Viewer, (keyof typeof MOMENTS)[]] => [
    policy,
    'owner',
    ['scheduled', 'opening', 'lastMoment', 'closing'],
  ]),
])('%s shows the %s its counts at %j', (policy, viewer, shownAt) => {
  for (const [name, now] of Object.entries(MOMENTS)) {
    const isShown = (shownAt as string[]).includes(name)
    expect(areResultsHidden(poll(policy), viewer, now)).toBe(!isShown)
    expect(presentTallies(poll(policy), viewer, now)).toEqual(isShown ? SHOWN : HIDDEN)
    if (viewer === 'public') expect(popularityOf(poll(policy), now)).toBe(isShown ? 5 : 0)
  }
})

test('hidden is left out where results are visible', () => {
  expect(Object.keys(presentTallies(poll('always'), 'public', 150))).toEqual(['optionA', 'optionB', 'total'])
})

test('a poll that never closes never reveals after_close results', () => {
  expect(areResultsHidden({ ...poll('after_close'), closes_at: null }, 'public', Number.MAX_SAFE_INTEGER)).toBe(true)
})
