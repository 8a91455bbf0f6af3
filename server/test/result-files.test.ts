import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { pollKeyOf } from './ballot-box.ts'
import { engines } from './engines.ts'
import { addMember } from './people.ts'
import { deletePoll, everyPage, patchPoll } from './polls.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'
import { castMany } from './voters.ts'

setDefaultTimeout(60_000)

interface Result {
  readonly title: string
  readonly votes: number
  readonly shareA: number | null
  readonly low: number | null
  readonly high: number | null
  readonly verdict: string
  readonly leader: string | null
  readonly status: string
  readonly slug: string
}

describe.each([...engines])('%s: the results of all polls of a brand', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const file = (query = '', token = brand.token) =>
    service.request('GET', `brands/me/results${query}`, { token, headers: { Accept: 'text/csv' } })

  test('are a list and a file of the same polls, with hidden counts and without drafts', async () => {
    const clear = await service.createPoll(brand, {
      title: '=HYPERLINK("x")',
      optionA: { label: '@tea' },
      optionB: { label: 'Kaffee, schwarz' },
      resultsVisibility: 'never',
    })
    await castMany(service, await pollKeyOf(service, clear), 300)
    const none = await service.createPoll(brand, { title: 'شاي أم قهوة؟', opensAt: '2026-01-31T12:00:00Z' })
    const archived = await service.createPoll(brand)
    await service.vote(archived.slug, 'B')
    await patchPoll(service, brand, archived.slug, { archived: true })
    await service.createPoll(brand, { isDraft: true })
    const deleted = await service.createPoll(brand)
    await deletePoll(service, brand, deleted.slug)
    const listed = await everyPage<Result>(service, 'brands/me/results', { ask: { token: brand.token }, limit: 1 })
    expect(listed.map(({ slug }) => slug)).toEqual([archived.slug, none.slug, clear.slug])
    expect(listed[2]).toMatchObject({ votes: 300, shareA: 2 / 3, verdict: 'leading', leader: 'A', status: 'open' })
    expect(listed[1]).toMatchObject({
      votes: 0,
      shareA: null,
      low: null,
      high: null,
      verdict: 'no_votes',
      leader: null,
    })
    expect(listed[0]).toMatchObject({
      votes: 1,
      shareA: 0,
      low: 0,
      verdict: 'too_close',
      leader: null,
      status: 'closed',
    })

    const { status, headers, text } = await file()
    expect([status, headers.get('content-disposition')]).toEqual([200, 'attachment; filename="results.csv"'])
    const [head, first, second, third, end] = text.split('\r\n')
    expect(head).toBe(
      'title,labelA,labelB,votesA,votesB,votes,percentA,percentB,percentALow,percentAHigh,verdict,leader,status,createdAt,opensAt,closesAt,archivedAt,slug,id,votes:other',
    )
    expect(third).toStartWith(
      `"'=HYPERLINK(""x"")",'@tea,"Kaffee, schwarz",200,100,300,66.7,33.3,61.2,71.8,leading,A,open,`,
    )
    expect(second).toStartWith('شاي أم قهوة؟,Tea,Coffee,0,0,0,,,,,no_votes,,open,')
    expect(second).toContain(',2026-01-31T12:00:00.000Z,,,')
    expect(first).toStartWith('Tea or coffee?,Tea,Coffee,0,1,1,0,100,0,79.3,too_close,,closed,')
    expect(end).toBe('')
  })

  test('begin with a byte order mark where it is asked for', async () => {
    const bytes = async (query: string) => {
      const address = `${service.service.url}/api/rest/v1/brands/me/results${query}`
      const headers = { Authorization: `Bearer ${brand.token}`, Accept: 'text/csv' }
      return [...new Uint8Array(await (await fetch(address, { headers })).arrayBuffer()).slice(0, 3)]
    }
    expect(await bytes('?bom=1')).toEqual([0xef, 0xbb, 0xbf])
    expect(await bytes('?bom=0')).not.toEqual([0xef, 0xbb, 0xbf])
    expect(await bytes('')).not.toEqual([0xef, 0xbb, 0xbf])
    expect((await file('?bom=2')).status).toBe(422)
  })

  test('are whole over many pages, for an analyst too', async () => {
    const many = await service.createBrand()
    const { token } = await addMember(service, many, 'analyst')
    const slugs: string[] = []
    for (let i = 0; i < 250; i += 50)
      slugs.push(
        ...(await Promise.all(Array.from({ length: 50 }, () => service.createPoll(many)))).map(({ slug }) => slug),
      )
    const lines = (await file('', token)).text.split('\r\n').slice(1, -1)
    expect(lines.map((line) => line.split(',').at(-3) ?? '').sort()).toEqual(slugs.sort())
  })
})
