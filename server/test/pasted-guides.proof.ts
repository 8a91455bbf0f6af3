import { expect, test } from 'bun:test'
import { buildPackage } from '../../sdk/test/built-package.ts'
import { followGuide, hasCurl } from './guides.ts'

const LINK = /^ {2}http:\/\/127\.0\.0\.1:\d+\/console\/join#tsl_[\w-]{43}$/

test.if(hasCurl)(
  'the commands of the guide to people work as pasted',
  async () => {
    const lines = await followGuide('people.md')
    expect(lines).toEqual([
      expect.stringMatching(/^Give ada@example\.com this link\. It works once, until /),
      expect.stringMatching(LINK),
      expect.stringMatching(/^owner@demo\.invalid +owner /),
      expect.stringMatching(/^The link signs in as owner@demo\.invalid, once, until /),
      expect.stringMatching(LINK),
      expect.stringMatching(/^Created the brand short-lived-\d+ /),
      expect.stringMatching(/^Deleted the brand short-lived-\d+/),
      '404',
    ])
  },
  60_000,
)

test.if(hasCurl)(
  'the guide to webhooks makes one and removes it, continued from the tour of README',
  async () => {
    const lines = await followGuide('webhooks.md', {}, { earlier: 'README.md' })
    const [made = '', chat = '', ...rest] = lines.slice(-5)
    const { data } = JSON.parse(made)
    expect(data).toMatchObject({ url: 'https://example.com/tossup', events: ['poll.voted', 'poll.closed'] })
    expect(data.secret).toStartWith('whsec_')
    expect(JSON.parse(chat).data.format).toBe('slack')
    expect(rest).toEqual(['DISABLED', '0', '404'])
  },
  60_000,
)

test.if(hasCurl)(
  'the commands of the guide to codes work as pasted, and so does its calculation',
  async () => {
    const [written, revoked, listed, deleted, years] = await followGuide('codes.md')
    expect(written).toMatch(/^Wrote 30 codes to .+codes\.csv\. They are not shown again\.$/)
    expect(revoked).toBe('Revoked 1 code. 0 lines are no code of the list.')
    expect(listed).toMatch(/^[\da-f-]{36} {2}Members 2026 {2}30 issued {2}0 used {2}1 revoked {2}0 polls$/)
    expect(deleted).toBe('Deleted the code list Members 2026.')
    expect(Math.floor(Number(years))).toBe(109)
  },
  120_000,
)

test.if(hasCurl)(
  'the guide to activity shows its own step',
  async () => {
    expect(await followGuide('activity.md')).toEqual(['app.created,operator'])
  },
  60_000,
)

test.if(hasCurl)(
  'the guide to errors shows one',
  async () => {
    const [line = ''] = await followGuide('errors.md')
    const { error } = JSON.parse(line) as { error: { code: string; message: string; details: unknown } }
    expect(error.code).toBe('VALIDATION_ERROR')
    expect(JSON.stringify(error)).toContain('limit')
  },
  60_000,
)

test.if(hasCurl)(
  'the guide to limits reaches a limit',
  async () => {
    const [statuses = '', wait = ''] = await followGuide('limits.md')
    expect(statuses).toMatch(/^201 (?:409 ){9}429 retry-after: \d+\s*$/i)
    expect(wait).toBe('')
  },
  60_000,
)

test.if(hasCurl)(
  'the guide to the client library ends in a program that votes',
  async () => {
    const built = await buildPackage()
    try {
      expect(await followGuide('sdk.md', {}, { folder: built.place })).toEqual([
        'counted, 60 votes',
        'refused, this device has chosen A',
      ])
    } finally {
      await built.clear()
    }
  },
  180_000,
)

test.if(hasCurl)(
  'the guide to the console prints a link and the page of a poll',
  async () => {
    const [said = '', link = '', status] = await followGuide('console.md')
    expect(said).toStartWith('The link signs in as owner@demo.invalid, once, until ')
    expect(link).toMatch(LINK)
    expect(status).toBe('200')
  },
  60_000,
)

test.if(hasCurl)(
  'the guide to reliability counts every vote again',
  async () => {
    expect(await followGuide('reliability.md')).toEqual([expect.stringMatching(/^No fault found: 252 votes, /)])
  },
  60_000,
)

test.if(hasCurl)(
  'the guide to the states of a poll names pages that exist',
  async () => {
    const lines = await followGuide('states.md')
    expect(lines).toHaveLength(5)
    expect(lines.filter((line) => !line.startsWith('200 http://'))).toEqual([])
  },
  60_000,
)
