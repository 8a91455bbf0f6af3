import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { pollKeyOf } from './ballot-box.ts'
import { engines } from './engines.ts'
import { identifiersOf, problemsOf } from './polls.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'
import { castInThePast, type PastVote, sumOf, type TimelineData, timelineOf } from './timelines.ts'

const WIDTHS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const
const at = (text: string) => Date.parse(text)
const iso = (moment: number) => new Date(moment).toISOString()

describe.each([...engines])('%s: the timeline of a poll', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  async function timeline(poll: Pick<PollData, 'slug'>, query = ''): Promise<TimelineData> {
    const reply = await timelineOf(service, poll.slug, { token: brand.token, query })
    if (reply.status !== 200) throw new Error(reply.text)
    return reply.body.data
  }

  async function pollWith(votes: readonly PastVote[]): Promise<PollData> {
    const poll = await service.createPoll(brand)
    await castInThePast(service, await pollKeyOf(service, poll), votes)
    return poll
  }

  async function stored(poll: PollData): Promise<number> {
    const tallies = service.db
      .selectFrom('tallies')
      .selectAll()
      .where('poll_key', '=', await pollKeyOf(service, poll))
    const { option_a, option_b } = await tallies.executeTakeFirstOrThrow()
    return option_a + option_b
  }

  test('counts votes for both options, in the present bucket', async () => {
    const poll = await service.createPoll(brand)
    const vote = (option: string) => service.vote(poll.slug, option)
    const votes = [await vote('A'), await vote('B'), await vote('A')]
    expect(votes.map(({ status }) => status)).toEqual([201, 201, 201])
    const [first = 0, , last = 0] = votes.map(({ body }) => at(body.data.votedAt))
    for (const bucket of ['minute', 'hour', 'day'] as const) {
      const given = await timeline(poll, `?bucket=${bucket}`)
      expect(given.bucket).toBe(bucket)
      expect(sumOf(given)).toEqual({ optionA: 2, optionB: 1 })
      expect(at(given.from)).toBeLessThanOrEqual(first)
      expect(at(given.to)).toBeGreaterThan(last)
      expect(given.points.map((point) => point.at)).toEqual(
        Array.from({ length: (at(given.to) - at(given.from)) / WIDTHS[bucket] }, (_, i) =>
          iso(at(given.from) + i * WIDTHS[bucket]),
        ),
      )
    }
    expect((await timeline(poll)).bucket).toBe('hour')
    for (const slug of identifiersOf(poll)) expect(sumOf(await timeline({ slug }))).toEqual({ optionA: 2, optionB: 1 })
  })

  test('adds up to the tally at every moment while 300 devices vote', async () => {
    const poll = await service.createPoll(brand)
    const votes = Array.from({ length: 300 }, (_, i) => service.vote(poll.slug, i % 3 ? 'A' : 'B'))
    let isOver = false
    const all = Promise.all(votes).then(() => {
      isOver = true
    })
    while (!isOver) {
      const before = await stored(poll)
      const { optionA, optionB } = sumOf(await timeline(poll, '?bucket=minute'))
      expect(optionA + optionB).toBeGreaterThanOrEqual(before)
      expect(optionA + optionB).toBeLessThanOrEqual(await stored(poll))
    }
    await all
    for (const bucket of ['minute', 'hour', 'day']) {
      expect(sumOf(await timeline(poll, `?bucket=${bucket}`))).toEqual({ optionA: 200, optionB: 100 })
    }
    const device = randomUUID()
    for (const status of [201, 409, 409]) expect((await service.vote(poll.slug, 'A', device)).status).toBe(status)
    expect(sumOf(await timeline(poll))).toEqual({ optionA: 201, optionB: 100 })
  })

  test('buckets begin on the minute, the hour and at midnight, all in UTC; empty ones are zero', async () => {
    const votes: PastVote[] = [
      { option: 'A', votedAt: at('2024-02-28T23:59:59.999Z') },
      { option: 'B', votedAt: at('2024-02-29T00:00:00.000Z') },
      { option: 'B', votedAt: at('2024-02-29T00:00:59.999Z') },
      { option: 'A', votedAt: at('2024-03-01T12:30:00.000Z') },
    ]
    const poll = await pollWith(votes)
    expect(await timeline(poll, '?bucket=day&from=2024-02-28T00:00:00Z&to=2024-03-02T00:00:00Z')).toEqual({
      bucket: 'day',
      from: '2024-02-28T00:00:00.000Z',
      to: '2024-03-02T00:00:00.000Z',
      points: [
        { at: '2024-02-28T00:00:00.000Z', optionA: 1, optionB: 0, views: 0 },
        { at: '2024-02-29T00:00:00.000Z', optionA: 0, optionB: 2, views: 0 },
        { at: '2024-03-01T00:00:00.000Z', optionA: 1, optionB: 0, views: 0 },
      ],
    })
    expect(await timeline(poll, '?bucket=minute&from=2024-02-29T00:59:30%2B01:00&to=2024-02-29T00:01:30Z')).toEqual({
      bucket: 'minute',
      from: '2024-02-28T23:59:00.000Z',
      to: '2024-02-29T00:02:00.000Z',
      points: [
        { at: '2024-02-28T23:59:00.000Z', optionA: 1, optionB: 0 },
        { at: '2024-02-29T00:00:00.000Z', optionA: 0, optionB: 2 },
        { at: '2024-02-29T00:01:00.000Z', optionA: 0, optionB: 0 },
      ],
    })
    expect((await timeline(poll, '?to=2024-02-29T00:00:00Z')).points).toEqual([
      { at: '2024-02-28T23:00:00.000Z', optionA: 1, optionB: 0, views: 0 },
    ])
    expect((await timeline(poll, '?from=9999-12-30T23:30:00Z&to=9999-12-31T00:00:00Z')).points).toHaveLength(1)
    expect((await timeline(poll, '?from=0000-01-01T00:00:00Z&to=0000-01-01T00:00:01Z')).points).toHaveLength(1)
  })

  test('without from and to reaches from now back to the first vote, or 2,000 points', async () => {
    const now = Date.now()
    const old = await pollWith([
      { option: 'A', votedAt: at('2001-09-09T01:46:40Z') },
      { option: 'B', votedAt: now - 30 * WIDTHS.hour },
    ])
    for (const [bucket, votes] of [
      ['minute', 1],
      ['hour', 1],
      ['day', 1],
    ] as const) {
      const given = await timeline(old, `?bucket=${bucket}`)
      expect(given.points).toHaveLength(2_000)
      expect(at(given.to)).toBeGreaterThan(now)
      expect(at(given.to)).toBeLessThanOrEqual(Date.now() + WIDTHS[bucket])
      expect(sumOf(given)).toEqual({ optionA: 0, optionB: votes })
    }
    const young = await pollWith([{ option: 'B', votedAt: now - 30 * WIDTHS.hour }])
    expect((await timeline(young, '?bucket=hour')).points.length).toBeOneOf([31, 32])
    const unvoted = await service.createPoll(brand)
    const empty = await timeline(unvoted, '?bucket=day')
    expect(empty.points).toEqual([{ at: empty.from, optionA: 0, optionB: 0, views: 0 }])
    // The day may have ended since the test began.
    expect(at(empty.from)).toBeOneOf([now, Date.now()].map((moment) => moment - (moment % WIDTHS.day)))
    expect((await timeline(young, '?to=2020-01-01T00:00:00Z')).points).toEqual([
      { at: '2019-12-31T23:00:00.000Z', optionA: 0, optionB: 0, views: 0 },
    ])
  })

  test('equals a plain count of the votes in any window', async () => {
    const start = at('2023-10-28T00:00:00Z')
    const span = 40 * WIDTHS.day
    const random = (most: number) => Math.floor(Math.random() * most)
    const votes = Array.from(
      { length: 400 },
      (): PastVote => ({ option: random(2) ? 'A' : 'B', votedAt: start + random(random(2) ? span : WIDTHS.hour) }),
    )
    const poll = await pollWith(votes)
    const window = fc.record({
      bucket: fc.constantFrom('minute', 'hour', 'day'),
      from: fc.integer({ min: start - WIDTHS.day, max: start + span }),
      points: fc.integer({ min: 1, max: 2_000 }),
    })
    await fc.assert(
      fc.asyncProperty(window, async ({ bucket, from, points }) => {
        const width = WIDTHS[bucket as keyof typeof WIDTHS]
        const first = from - (from % width)
        const to = first + points * width
        const given = await timeline(poll, `?bucket=${bucket}&from=${iso(from)}&to=${iso(to)}`)
        const counted = new Map<number, [number, number]>()
        for (const { option, votedAt } of votes) {
          const place = votedAt - (votedAt % width)
          const [a, b] = counted.get(place) ?? [0, 0]
          counted.set(place, option === 'A' ? [a + 1, b] : [a, b + 1])
        }
        expect(given.points).toEqual(
          Array.from({ length: points }, (_, i) => {
            const [optionA, optionB] = counted.get(first + i * width) ?? [0, 0]
            return { at: iso(first + i * width), optionA, optionB, ...(bucket === 'minute' ? {} : { views: 0 }) }
          }),
        )
      }),
      { numRuns: 30 },
    )
  })

  test.each([
    ['?bucket=month', 'bucket invalid_value'],
    ['?tz=Mars/Olympus', 'tz unknown_time_zone'],
    ['?tz=%2B02:00', 'tz unknown_time_zone'],
    ['?tz=', 'tz unknown_time_zone'],
    ['?bucket=week&from=1900-01-01T00:00:00Z&to=2000-01-01T00:00:00Z', 'from too_many_points'],
    ['?bucket=day&tz=Europe/Berlin&from=2000-01-01T00:00:00Z&to=2024-01-01T00:00:00Z', 'from too_many_points'],
    ['?bucket=hour&bucket=day', 'bucket duplicate_parameter'],
    ['?from=yesterday', 'from invalid_format'],
    ['?from=2024-01-01T00:00:00', 'from invalid_format'],
    ['?to=1704067200000', 'to invalid_format'],
    ['?to=9999-12-31T00:00:01Z', 'to too_late'],
    ['?from=2024-01-02T00:00:00Z&to=2024-01-01T00:00:00Z', 'from not_before_to'],
    ['?from=2024-01-01T00:00:00Z&to=2024-01-01T00:00:00Z', 'from not_before_to'],
    ['?from=9999-01-01T00:00:00Z', 'from not_before_to'],
    ['?from=0000-01-01T00:00:00Z&to=9999-01-01T00:00:00Z', 'from too_many_points'],
    ['?bucket=minute&from=2024-01-01T00:00:00Z&to=2024-01-02T09:20:00.001Z', 'from too_many_points'],
  ])('%s is 422', async (query, problem) => {
    const poll = await service.createPoll(brand)
    const reply = await timelineOf(service, poll.slug, { token: brand.token, query })
    expect([reply.status, reply.body.error?.code]).toEqual([422, 'VALIDATION_ERROR'])
    expect(problemsOf(reply)).toEqual([problem])
  })

  /** Each bucket by the calendar of Intl, and not by the one that the server uses. */
  function localDate(moment: number, tz: string, bucket: string): string {
    const shown = new Intl.DateTimeFormat('sv', { timeZone: tz, dateStyle: 'short' })
    const date = shown.format(moment)
    if (bucket === 'day') return date
    const weekday = (new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7
    return new Date(Date.parse(`${date}T00:00:00Z`) - weekday * WIDTHS.day).toISOString().slice(0, 10)
  }

  test.each([
    ['Europe/Berlin', '2024-03-20T00:00:00Z', '2024-04-10T00:00:00Z'],
    ['Europe/Berlin', '2024-10-20T00:00:00Z', '2024-11-05T00:00:00Z'],
    ['Asia/Kolkata', '2024-01-01T00:00:00Z', '2024-01-20T00:00:00Z'],
    ['Asia/Kathmandu', '2024-01-01T00:00:00Z', '2024-01-20T00:00:00Z'],
    ['America/St_Johns', '2024-03-01T00:00:00Z', '2024-03-20T00:00:00Z'],
    ['Australia/Lord_Howe', '2024-04-01T00:00:00Z', '2024-04-15T00:00:00Z'],
    ['America/Sao_Paulo', '2018-10-28T00:00:00Z', '2018-11-12T00:00:00Z'],
    ['Pacific/Apia', '2011-12-20T00:00:00Z', '2012-01-05T00:00:00Z'],
    ['UTC', '2024-02-20T00:00:00Z', '2024-03-20T00:00:00Z'],
  ])('has the days and weeks of %s, from %s on', async (tz, from, to) => {
    const [start, end] = [at(from), at(to)]
    const votes = Array.from({ length: 400 }, (_, i) => ({
      option: i % 3 ? ('A' as const) : ('B' as const),
      votedAt: start + Math.floor(((end - start) * i) / 400),
    }))
    const poll = await pollWith(votes)
    for (const bucket of ['day', 'week']) {
      const given = await timeline(poll, `?bucket=${bucket}&tz=${tz}&from=${from}&to=${to}`)
      const expected = new Map<string, { optionA: number; optionB: number }>()
      for (const { option, votedAt } of votes) {
        const date = localDate(votedAt, tz, bucket)
        const sums = expected.get(date) ?? { optionA: 0, optionB: 0 }
        sums[option === 'A' ? 'optionA' : 'optionB']++
        expected.set(date, sums)
      }
      const shown = given.points.map((point) => [localDate(at(point.at), tz, bucket), point.optionA, point.optionB])
      expect(shown).toEqual([...expected].map(([date, { optionA, optionB }]) => [date, optionA, optionB]))
      expect(at(given.from)).toBe(at(given.points[0]?.at ?? ''))
    }
    for (const bucket of ['minute', 'hour']) {
      const middle = iso(end - WIDTHS.hour * 30)
      const given = await timeline(poll, `?bucket=${bucket}&tz=${tz}&from=${middle}&to=${to}`)
      const voted = votes.filter(({ votedAt }) => votedAt >= at(given.from) && votedAt < at(given.to))
      const { optionA, optionB } = sumOf(given)
      expect([bucket, optionA + optionB]).toEqual([bucket, voted.length])
    }
  })

  test.each([
    ['forward', '2024-10-05', ['14:30', '15:30', '16:00', '17:00'], '18:00'],
    ['back', '2024-04-06', ['14:00', '15:00', '15:30', '16:30'], '17:30'],
  ])('has no overlapping hours where the clocks go %s by half an hour', async (_, day, starts, end) => {
    const moment = (time: string, shift = 0) => iso(at(`${day}T${time}:00Z`) + shift)
    const votes = starts.flatMap((time) => [
      { option: 'A' as const, votedAt: at(moment(time)) },
      { option: 'B' as const, votedAt: at(moment(time, -WIDTHS.minute)) },
    ])
    const poll = await pollWith(votes)
    const ask = `?tz=Australia/Lord_Howe&from=${moment(starts[0] ?? '')}&to=${moment(end)}`
    const { points } = await timeline(poll, ask)
    const shown = points.map((point) => [point.at, point.optionA, point.optionB])
    expect(shown).toEqual(starts.map((time, i) => [moment(time), 1, i < starts.length - 1 ? 1 : 0]))
  })

  test('has local hours where the clocks are half an hour off', async () => {
    const poll = await pollWith([{ option: 'A', votedAt: at('2024-01-01T06:29:00Z') }])
    const given = await timeline(poll, '?tz=Asia/Kolkata&from=2024-01-01T05:30:00Z&to=2024-01-01T07:30:00Z')
    expect(given.points).toEqual([
      { at: '2024-01-01T05:30:00.000Z', optionA: 1, optionB: 0, views: 0 },
      { at: '2024-01-01T06:30:00.000Z', optionA: 0, optionB: 0, views: 0 },
    ])
  })

  test('has days of 23 and 25 hours where the clocks change', async () => {
    const poll = await service.createPoll(brand)
    const daysFrom = async (from: string, to: string) => {
      const { points } = await timeline(poll, `?bucket=day&tz=Europe/Berlin&from=${from}&to=${to}`)
      return points.map((point) => point.at)
    }
    expect(await daysFrom('2024-03-31T12:00:00Z', '2024-04-01T12:00:00Z')).toEqual([
      '2024-03-30T23:00:00.000Z',
      '2024-03-31T22:00:00.000Z',
    ])
    expect(await daysFrom('2024-10-27T12:00:00Z', '2024-10-28T12:00:00Z')).toEqual([
      '2024-10-26T22:00:00.000Z',
      '2024-10-27T23:00:00.000Z',
    ])
  })

  test('has at most 2,000 points, and one more is refused', async () => {
    const poll = await service.createPoll(brand)
    const whole = await timeline(poll, '?bucket=minute&from=2024-01-01T00:00:00Z&to=2024-01-02T09:20:00Z')
    expect(whole.points).toHaveLength(2_000)
  })

  test("is 404 for other brands and deleted polls, and answers for the brand's own drafts and archived polls", async () => {
    const poll = await service.createPoll(brand)
    const stranger = await service.createBrand()
    const manager = await service.createApp(brand.brandKey, ['view', 'vote', 'manage'])
    const { accessToken } = await service.exchange(manager)
    const ask = (slug: string, token?: string) => timelineOf(service, slug, token ? { token } : {})
    expect((await ask(poll.slug)).status).toBe(401)
    expect((await ask(poll.slug, stranger.token)).status).toBe(404)
    expect((await ask('no-such-poll', brand.token)).status).toBe(404)
    expect((await ask('no%20slug', brand.token)).status).toBe(422)
    const refused = await ask(poll.slug, accessToken)
    expect([refused.status, refused.body.error.details]).toEqual([403, { scope: 'analytics' }])
    const draft = await service.createPoll(brand, { isDraft: true })
    expect((await ask(draft.slug, brand.token)).status).toBe(200)
    await service.write('DELETE', `brands/me/polls/${poll.slug}`, { token: brand.token })
    expect((await ask(poll.slug, brand.token)).status).toBe(404)
  })
})
