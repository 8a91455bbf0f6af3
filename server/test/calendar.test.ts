import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sampleEngines } from './engines.ts'
import { fromNow, HOUR } from './polls.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'

describe.each([...sampleEngines])('%s: the calendar of a scheduled poll', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine, { settings: { PUBLIC_URL: 'https://polls.example' } })
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const read = (reference: string) => fetch(`${service.service.url}/p/${reference}/calendar.ics`)

  test('is one event from its opening to its close, by each of its names', async () => {
    const poll = await service.createPoll(brand, {
      opensAt: '2031-01-31T12:00:00+02:00',
      closesAt: '2031-01-31T18:30:05.250Z',
    })
    const answer = await read(poll.shortId)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/calendar; charset=utf-8')
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${poll.slug}.ics"`)
    const text = await answer.text()
    const stamp = poll.updatedAt.replace(/[-:]|\.\d+/g, '')
    const url = `https://polls.example/p/${poll.shortId}`
    expect(text.split('\r\n')).toEqual([
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//Tossup//Polls//EN',
      'BEGIN:VEVENT',
      `UID:${poll.id}@polls.example`,
      `DTSTAMP:${stamp}`,
      'DTSTART:20310131T100000Z',
      'DTEND:20310131T183005Z',
      'SUMMARY:Tea or coffee?',
      `DESCRIPTION:Tea · Coffee\\n${url}`,
      `URL:${url}`,
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
      'END:VCALENDAR',
      '',
    ])
    expect(await (await read(poll.slug)).text()).toBe(text)
  })

  test('escapes texts, folds long lines between characters, and keeps its UID when the poll moves', async () => {
    const title = `Tea; coffee, or \\ ${'茶🍵'.repeat(40)}?`
    const poll = await service.createPoll(brand, { title, opensAt: fromNow(HOUR) })
    const text = await (await read(poll.shortId)).text()
    for (const line of text.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    const unfolded = text.replaceAll('\r\n ', '')
    expect(unfolded).toContain(`SUMMARY:Tea\\; coffee\\, or \\\\ ${'茶🍵'.repeat(40)}?\r\n`)
    const [, start = '', end = ''] = /DTSTART:(\S+)\r\nDTEND:(\S+)/.exec(unfolded) ?? []
    const minutes = (stamp: string) => Number(stamp.slice(9, 11)) * 60 + Number(stamp.slice(11, 13))
    expect((minutes(end) - minutes(start) + 1_440) % 1_440).toBe(15)
    const uid = /UID:.*/.exec(unfolded)?.[0]
    await service.write('PATCH', `brands/me/polls/${poll.slug}`, {
      token: brand.token,
      json: { opensAt: fromNow(2 * HOUR) },
    })
    const moved = await (await read(poll.shortId)).text()
    expect([moved.includes(`${uid}`), moved.includes(`DTSTART:${start}`)]).toEqual([true, false])
  })

  test('is missing for polls that are open, closed, drafts, deleted or unknown', async () => {
    const open = await service.createPoll(brand)
    const closed = await service.createPoll(brand, { closesAt: fromNow(-HOUR) })
    const draft = await service.createPoll(brand, { opensAt: fromNow(HOUR), isDraft: true })
    const gone = await service.createPoll(brand, { opensAt: fromNow(HOUR) })
    await service.write('DELETE', `brands/me/polls/${gone.slug}`, { token: brand.token })
    const names = [open.slug, closed.slug, draft.slug, gone.slug, 'none']
    expect(await Promise.all(names.map(async (name) => (await read(name)).status))).toEqual(names.map(() => 404))
  })
})
