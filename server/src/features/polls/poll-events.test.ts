import { describe, expect, test } from 'bun:test'
import { changed, passed } from './poll-events.ts'

const poll = (fields: object) => ({
  is_draft: 0,
  opens_at: null,
  closes_at: null,
  archived_at: null,
  announced_status: null,
  announce_at: null,
  ...fields,
})

const said = ({ announcements }: { announcements: { type: string; at: number }[] }) =>
  announcements.map(({ type, at }) => `${type} ${at}`)

describe('the clock', () => {
  const window = { opens_at: 10, closes_at: 20 }
  const scheduled = poll({ ...window, announced_status: 'scheduled', announce_at: 10 })
  const open = poll({ ...window, announced_status: 'open', announce_at: 20 })

  test('opens and closes a poll at the exact time', () => {
    expect(passed(scheduled, 9)).toEqual({
      announcements: [],
      told: { announced_status: 'scheduled', announce_at: 10 },
    })
    expect(said(passed(scheduled, 10))).toEqual(['poll.opened 10'])
    expect(passed(scheduled, 19).told).toEqual({ announced_status: 'open', announce_at: 20 })
    expect(said(passed(open, 19))).toEqual([])
    expect(said(passed(open, 20))).toEqual(['poll.closed 20'])
    expect(passed(open, 20).told).toEqual({ announced_status: 'closed', announce_at: null })
  })

  test('announces both after a pause, each with its own time', () => {
    expect(said(passed(scheduled, 1_000))).toEqual(['poll.opened 10', 'poll.closed 20'])
    expect(passed(scheduled, 1_000).told).toEqual({ announced_status: 'closed', announce_at: null })
  })

  test('announces nothing for a poll without opensAt and closesAt', () => {
    expect(said(passed(poll({ announced_status: 'open' }), 1_000))).toEqual([])
    expect(said(passed(poll({ ...window, announced_status: 'closed' }), 1_000))).toEqual([])
  })
})

describe('a change', () => {
  const at = 15

  test.each([
    ['a new poll that is open', {}, ['poll.opened 15'], 'open', null],
    ['a new poll that closes later', { closes_at: 20 }, ['poll.opened 15'], 'open', 20],
    ['a new poll that opens later', { opens_at: 20, closes_at: 30 }, [], 'scheduled', 20],
    ['a new poll that is closed already', { closes_at: 10 }, [], 'closed', null],
    ['a draft', { is_draft: 1, closes_at: 20 }, [], null, null],
    ['a poll that becomes a draft again', { is_draft: 1, announced_status: 'open' }, [], null, null],
    ['one that is closed by hand', { closes_at: 15, announced_status: 'open' }, ['poll.closed 15'], 'closed', null],
    ['one that is opened by hand', { opens_at: 15, announced_status: 'scheduled' }, ['poll.opened 15'], 'open', null],
    ['one that is reopened', { closes_at: 20, announced_status: 'closed' }, ['poll.opened 15'], 'open', 20],
    ['one that is put off', { opens_at: 20, announced_status: 'open' }, [], 'scheduled', 20],
    [
      'a scheduled one that is closed',
      { closes_at: 9, announced_status: 'scheduled' },
      ['poll.closed 15'],
      'closed',
      null,
    ],
    ['one that is archived', { archived_at: 15, announced_status: 'open' }, ['poll.closed 15'], 'closed', null],
    [
      'one that is archived before it opens',
      { opens_at: 20, archived_at: 15, announced_status: 'scheduled' },
      ['poll.closed 15'],
      'closed',
      null,
    ],
    [
      'one that is archived after its end',
      { closes_at: 9, archived_at: 15, announced_status: 'closed' },
      [],
      'closed',
      null,
    ],
    [
      'one that is taken back from the archive',
      { closes_at: 20, announced_status: 'closed' },
      ['poll.opened 15'],
      'open',
      20,
    ],
    ['another end', { closes_at: 90, announced_status: 'open' }, [], 'open', 90],
    ['something else', { opens_at: 1, announced_status: 'open' }, [], 'open', null],
  ])('to %s', (_, fields, announcements, announced_status, announce_at) => {
    const result = changed(poll(fields), at)
    expect(said(result)).toEqual(announcements)
    expect(result.told).toEqual({ announced_status: announced_status as 'open' | null, announce_at })
  })
})
