import { describe, expect, test } from 'bun:test'
import { assess, type Hour } from './assess.ts'

const AT = Date.parse('2026-01-31T12:00:00Z')
const calm: Hour = {
  at: AT,
  votes: 600,
  largest: 12,
  top_ten: 60,
  peak_minute: 20,
  challenged: 0,
  without_origin: 0,
  refused_rate: 0,
  refused_challenge: 0,
  refused_origin: 0,
  refused_invalid: 0,
}

test('usual votes, few votes and none are not conspicuous', () => {
  expect(assess([])).toEqual({ score: 0, reasons: [] })
  expect(assess([calm])).toEqual({ score: 0, reasons: [] })
  const few = { ...calm, votes: 19, largest: 19, top_ten: 19, peak_minute: 19, refused_rate: 19 }
  expect(assess([few])).toEqual({ score: 0, reasons: [] })
  const apps = { ...calm, without_origin: 600 }
  expect(assess([apps])).toEqual({ score: 0, reasons: [] })
})

describe('each sign adds its points and its reason', () => {
  test.each([
    ['a large network', { largest: 360, top_ten: 240 }, 50, 'One network cast 60 % of the votes.'],
    ['a network with nearly all votes', { largest: 599 }, 50, 'One network cast >99 % of the votes.'],
    ['ten large networks', { top_ten: 540 }, 20, 'Ten networks cast 90 % of the votes.'],
    [
      'a burst',
      { peak_minute: 300 },
      20,
      '300 of the 600 votes in the hour from 2026-01-31 12:00 UTC came within one minute.',
    ],
    [
      'refusals',
      { refused_rate: 500, refused_origin: 99, refused_invalid: 1 },
      20,
      '600 votes were refused: 500 beyond a rate limit, 99 from pages of other origins, 1 malformed.',
    ],
    ['unsolved challenges', { refused_challenge: 700, challenged: 100 }, 20, '600 challenges were not solved.'],
    [
      'votes from scripts beside those of pages',
      { without_origin: 300 },
      10,
      '50 % of the votes came from no web page, so from apps or scripts.',
    ],
  ])('%s', (_name, fields, score, reason) => {
    expect(assess([{ ...calm, ...fields }])).toEqual({ score, reasons: [reason] })
  })
})

test('the score ends at 100, over all hours together', () => {
  const stuffed = {
    ...calm,
    largest: 600,
    top_ten: 600,
    peak_minute: 600,
    refused_rate: 9_000,
    refused_challenge: 9_000,
  }
  expect(assess([stuffed])).toMatchObject({ score: 100 })
  const diluted = assess([stuffed, ...Array.from({ length: 99 }, () => calm)])
  expect(diluted.reasons).toHaveLength(3)
  expect(diluted.score).toBeLessThan(60)
})

test('over several hours, the largest networks of each are not said to be one', () => {
  const hour = (i: number) => ({ ...calm, at: AT + i * 3_600_000, votes: 30, largest: 30, top_ten: 30 })
  expect(assess([0, 1, 2, 3].map(hour)).reasons).toEqual([
    'The largest network of each hour cast 100 % of the votes.',
    'The ten largest networks of each hour cast 100 % of the votes.',
  ])
})
