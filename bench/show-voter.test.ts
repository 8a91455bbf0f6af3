import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import {
  CLIENT,
  DISTINCT_REFUSALS,
  FIRST_RETRIES,
  pauseAfterRefusal,
  pauseAfterSilence,
  shortened,
} from './show-voter.ts'

const most = () => 1

test('an embed retries with growing pauses, then the queue of the browser does, again and again', () => {
  const pauses = Array.from({ length: 11 }, (_, i) => pauseAfterRefusal(i + 1, most))
  expect(pauses).toEqual([1_250, 1_500, 1_000, 1_250, 1_500, 2_000, 1_000, 1_250, 1_500, 2_000, 1_000])
  expect(pauseAfterRefusal(1, () => 0)).toBe(1_125)
})

test('without an answer there is no Retry-After', () => {
  expect([1, 2, 3, 4].map((times) => pauseAfterSilence(times, most))).toEqual([250, 500, 30_000, 250])
})

test('a shortened history has the same pauses', () => {
  for (let times = 1; times < 40; times++) {
    expect(shortened(times)).toBeLessThanOrEqual(DISTINCT_REFUSALS)
    expect(pauseAfterRefusal(shortened(times), most)).toBe(pauseAfterRefusal(times, most))
    expect(shortened(shortened(times) + 1)).toBe(shortened(times + 1))
  }
})

test('the client library and the embeds have these defaults', () => {
  const source = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8').replaceAll('_', '')
  const { retries, timeoutMs, lookEveryMs } = CLIENT
  expect(source('sdk/src/http.ts')).toContain(`timeoutMs = ${timeoutMs}, retries = ${retries} }`)
  expect(source('sdk/src/vote-queue.ts')).toContain(`LOOKEVERYMS = ${lookEveryMs}\n`)
  expect(source('embed/src/browser/poll-model.ts')).toContain(`retries: navigator.onLine ? ${FIRST_RETRIES} : 0`)
})
