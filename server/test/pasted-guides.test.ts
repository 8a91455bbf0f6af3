import { expect, test } from 'bun:test'
import { followGuide } from './guides.ts'

const LINK = /^ {2}http:\/\/127\.0\.0\.1:\d+\/console\/join\/tsl_[\w-]{43}$/

test('the commands of the guide to people work as pasted', async () => {
  const lines = await followGuide('people.md')
  expect(lines).toEqual([
    expect.stringMatching(/^Give ada@example\.com this link\. It works once, until /),
    expect.stringMatching(LINK),
    expect.stringMatching(/^owner@demo\.invalid +owner /),
    expect.stringMatching(/^The link signs in as owner@demo\.invalid, once, until /),
    expect.stringMatching(LINK),
  ])
}, 60_000)

test('the guide to webhooks makes one, continued from the tour of README', async () => {
  const lines = await followGuide('webhooks.md', {}, 'README.md')
  const { data } = JSON.parse(lines.at(-1) ?? '')
  expect(data).toMatchObject({ url: 'https://example.com/tossup', events: ['poll.voted', 'poll.closed'] })
  expect(data.secret).toStartWith('whsec_')
}, 60_000)

test('the guide to activity shows its own step', async () => {
  expect(await followGuide('activity.md')).toEqual(['app.created,operator'])
}, 60_000)

test('the guide to errors shows one', async () => {
  const [line = ''] = await followGuide('errors.md')
  const { error } = JSON.parse(line) as { error: { code: string; message: string; details: unknown } }
  expect(error.code).toBe('VALIDATION_ERROR')
  expect(JSON.stringify(error)).toContain('limit')
}, 60_000)

test('the guide to limits reaches a limit', async () => {
  const [statuses = '', wait = ''] = await followGuide('limits.md')
  expect(statuses).toMatch(/^201 (?:409 ){9}429 retry-after: \d+\s*$/i)
  expect(wait).toBe('')
}, 60_000)
