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
