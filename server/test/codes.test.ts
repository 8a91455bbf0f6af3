import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { type CampaignData, createCampaign, postCampaign } from './campaigns.ts'
import { type CodeListData, createCodeList, issueCodes, LISTS, readCodeList, voteByCode } from './codes.ts'
import { engines } from './engines.ts'
import { newNetwork } from './network.ts'
import { patchPoll, problemsOf } from './polls.ts'
import { type PollData, startTestService, type TestBrand, type TestService, type VoteData } from './service.ts'

setDefaultTimeout(60_000)

const VOTES_PER_MINUTE = 100
const CODE = /^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){2}$/

describe.each([...engines])('%s: codes', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine, {
      jobs: 'by hand',
      settings: { TRUSTED_PROXIES: '127.0.0.1', VOTES_PER_MINUTE: `${VOTES_PER_MINUTE}` },
    })
  })
  beforeEach(async () => {
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const write = <Data>(method: 'POST' | 'PATCH' | 'DELETE', path: string, json?: object) =>
    service.write<Data>(method, path, { token: brand.token, ...(json && { json }) })

  async function pollWithCodes(count: number): Promise<{ list: CodeListData; codes: string[]; poll: PollData }> {
    const list = await createCodeList(service, brand, `Members ${randomUUID()}`)
    const codes = await issueCodes(service, brand, { codeListId: list.codeListId, count })
    const poll = await service.createPoll(brand, { codeListId: list.codeListId })
    return { list, codes, poll }
  }

  const cast = (poll: PollData, code: string, { option = 'A', device = randomUUID() } = {}) =>
    voteByCode(service, poll, { code, option, device, headers: newNetwork() })

  test('a list is created, read, renamed and deleted, and its name is unique in the brand', async () => {
    const { status, headers, body } = await write<CodeListData>('POST', LISTS, { name: '  Members ' })
    expect(status).toBe(201)
    const { codeListId } = body.data
    expect(headers.get('location')).toBe(`/api/rest/v1/${LISTS}/${codeListId}`)
    expect(body.data).toMatchObject({ name: 'Members', issued: 0, used: 0, revoked: 0, polls: 0 })
    expect(await write('POST', LISTS, { name: 'MEMBERS' })).toMatchObject({
      status: 409,
      body: { error: { code: 'NAME_TAKEN' } },
    })
    const other = await createCodeList(service, brand, 'Guests')
    const list = await service.get<CodeListData[]>(LISTS, { token: brand.token })
    expect(list.body.data.map(({ name }) => name)).toEqual(['Guests', 'Members'])
    expect(list.headers.get('cache-control')).toBe('private, no-cache')
    const path = `${LISTS}/${codeListId.toUpperCase()}`
    expect((await write('PATCH', path, { name: 'guests' })).status).toBe(409)
    const renamed = await write<CodeListData>('PATCH', path, { name: 'All members' })
    expect(renamed.body.data.name).toBe('All members')
    expect((await write('DELETE', path)).status).toBe(204)
    expect((await service.get(path, { token: brand.token })).status).toBe(404)
    expect((await write('POST', `${path}/codes`, { count: 1 })).status).toBe(404)
    expect((await write('POST', LISTS, { name: 'All members' })).status).toBe(201)
    expect((await readCodeList(service, brand, other.codeListId)).name).toBe('Guests')
  })

  test('codes are issued once, replayed to a repeat of the request, and stored as hashes', async () => {
    const { codeListId } = await createCodeList(service, brand, 'Members')
    const ask = { token: brand.token, key: randomUUID(), json: { count: 1_000 } }
    const path = `${LISTS}/${codeListId}/codes`
    const first = await service.write<{ codes: string[]; issued: number }>('POST', path, ask)
    expect(first.status).toBe(201)
    const { codes, issued } = first.body.data
    expect(issued).toBe(1_000)
    expect(new Set(codes).size).toBe(1_000)
    expect(codes.filter((code) => !CODE.test(code))).toEqual([])
    const again = await service.write('POST', path, ask)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.text).toBe(first.text)
    expect(await readCodeList(service, brand, codeListId)).toMatchObject({ issued: 1_000, used: 0 })
    const answer = await service.db.selectFrom('idempotency_keys').select('body').where('key', '=', ask.key).execute()
    expect(JSON.stringify(answer.map(({ body }) => Buffer.from(body ?? '').toString('latin1')))).not.toContain(
      codes[0] as string,
    )
  })

  test('each code votes once, from any device, and one device with any number of codes', async () => {
    const { list, codes, poll } = await pollWithCodes(3)
    const [one, two, three] = codes as [string, string, string]
    const device = randomUUID()
    expect(poll).toMatchObject({ admission: 'code', codeListId: list.codeListId })
    expect((await service.get<PollData>(`polls/${poll.slug}`)).body.data).toMatchObject({ admission: 'code' })
    expect((await service.get(`polls/${poll.slug}`)).text).not.toContain(list.codeListId)
    expect(await service.vote(poll.slug, 'A', device)).toMatchObject({
      status: 403,
      body: { error: { code: 'CODE_REQUIRED' } },
    })
    const first = await cast(poll, one, { device })
    expect(first).toMatchObject({ status: 201, body: { data: { option: 'A', tallies: { total: 1 } } } })
    const { votedAt } = (first.body as { data: VoteData }).data
    const typed = ` ${one.toLowerCase().replaceAll('-', ' ').replaceAll('1', 'l').replaceAll('0', 'o')} `
    expect(await cast(poll, typed, { device, option: 'B' })).toMatchObject({
      status: 409,
      body: { error: { code: 'VOTE_ALREADY_CAST', details: { existingVote: { option: 'A', votedAt } } } },
    })
    expect((await cast(poll, one, { option: 'B' })).body.error.details).toEqual({ existingVote: null })
    expect((await cast(poll, two, { device, option: 'B' })).status).toBe(201)
    const mine = (code?: string, own = device) =>
      service.get<VoteData>(`polls/${poll.slug}/votes/me`, {
        device: own,
        ...(code && { headers: { 'X-Vote-Code': code } }),
      })
    expect((await mine(one)).body.data).toMatchObject({ option: 'A' })
    expect((await mine(two)).body.data).toMatchObject({ option: 'B' })
    for (const { status } of [await mine(), await mine(three), await mine(one, randomUUID()), await mine('???')])
      expect(status).toBe(404)
    expect(await readCodeList(service, brand, list.codeListId)).toMatchObject({ issued: 3, used: 2, polls: 1 })
  })

  test('a malformed, unknown or revoked code and one of another list are refused alike, also after their vote', async () => {
    const { list, codes, poll } = await pollWithCodes(4)
    const other = await pollWithCodes(1)
    expect((await cast(poll, codes[0] as string)).status).toBe(201)
    const path = `${LISTS}/${list.codeListId}/codes/revoke`
    const given = [codes[0] as string, (codes[1] as string).toLowerCase(), codes[1] as string, 'ZZZZ-ZZZZ-ZZZZ', 'x']
    expect((await write('POST', path, { codes: given })).body.data).toEqual({ revoked: 2, unknown: 2 })
    expect((await write('POST', path, { codes: given })).body.data).toEqual({ revoked: 0, unknown: 2 })
    expect(await readCodeList(service, brand, list.codeListId)).toMatchObject({ issued: 4, revoked: 2, used: 1 })
    const bad = ['', ' '].map((code) => [code, 'CODE_REQUIRED'])
    for (const code of [codes[0], codes[1], other.codes[0], 'ZZZZ-ZZZZ-ZZZZ', 'TEA', 'Z'.repeat(200), 'ÄÖ'])
      bad.push([code as string, 'INVALID_CODE'])
    const answers = new Set<string>()
    for (const [code, error] of bad as [string, string][]) {
      const { status, body } = await cast(poll, code)
      expect({ code, status, error: body.error.code }).toEqual({ code, status: 403, error })
      if (error === 'INVALID_CODE') answers.add(JSON.stringify({ ...body.error, requestId: '' }))
    }
    expect(answers.size).toBe(1)
    expect((await cast(poll, codes[2] as string)).body).toMatchObject({ data: { tallies: { total: 2 } } })
  })

  test('a code is read in any spelling that people type, and in no other', async () => {
    const { codes, poll } = await pollWithCodes(2)
    const plain = (codes[0] as string).replaceAll('-', '')
    expect((await cast(poll, plain.toLowerCase())).status).toBe(201)
    const spaced = [...plain].join(' ')
    for (const same of [`\u00a0${plain}\u00a0`, `${plain}\t`, spaced, spaced.replaceAll(' ', '-'), `--${plain}--`])
      expect([same, (await cast(poll, same)).status]).toEqual([same, 409])
    const other = codes[1]?.replaceAll('-', '') ?? ''
    const [head, rest] = [other.slice(0, 1), other.slice(1)]
    const odd = [
      `${other}0`,
      rest,
      `${other},${other}`,
      `${head}\u00ad${rest}`,
      `${head}%${rest}`,
      `\u00df${other.slice(2)}`,
    ]
    for (const no of [...odd, '\u00ff'.repeat(12), '-'.repeat(60), `${' '.repeat(60)}${other}${'-'.repeat(60)}`, ' - '])
      expect([no, (await cast(poll, no)).status]).toEqual([no, 403])
    expect((await cast(poll, other)).status).toBe(201)
  })

  test('one code votes from any number of devices only as often a minute as one device may', async () => {
    const { codes, poll } = await pollWithCodes(2)
    const headers = newNetwork()
    const flood = async (count: number, code = codes[0] as string) =>
      Promise.all(
        Array.from({ length: count }, () => voteByCode(service, poll, { code, device: randomUUID(), headers })),
      )
    const statuses = (await flood(VOTES_PER_MINUTE)).map(({ status }) => status).sort()
    expect([statuses[0], new Set(statuses.slice(1))]).toEqual([201, new Set([409])])
    expect((await flood(3)).map(({ status }) => status)).toEqual([429, 429, 429])
    // The others behind its network vote.
    expect((await flood(1, codes[1] as string)).map(({ status }) => status)).toEqual([201])
  })

  test('a replay brings no revoked code back, and another brand replays nothing', async () => {
    const { list, poll } = await pollWithCodes(1)
    const ask = { token: brand.token, key: randomUUID(), json: { count: 1 } }
    const path = `${LISTS}/${list.codeListId}/codes`
    const { codes } = (await service.write<{ codes: string[] }>('POST', path, ask)).body.data
    await write('POST', `${path}/revoke`, { codes })
    const again = await service.write<{ codes: string[] }>('POST', path, ask)
    expect([again.status, again.body.data.codes]).toEqual([201, codes])
    expect((await cast(poll, codes[0] as string)).status).toBe(403)
    const { token } = await service.createBrand()
    expect((await service.write('POST', path, { ...ask, token })).status).toBe(404)
  })

  test('a receipt needs the code and the device that voted with it', async () => {
    const { codes, poll } = await pollWithCodes(2)
    const [one = '', two = ''] = codes
    const [device, other] = [randomUUID(), randomUUID()]
    await cast(poll, one, { device })
    await cast(poll, two, { device: other })
    const receipt = async (own: string, code?: string) =>
      service.get<{ nonce: string }>(`polls/${poll.slug}/votes/me/receipt`, {
        device: own,
        ...(code && { headers: { 'X-Vote-Code': code } }),
      })
    const nonces = [await receipt(device, one), await receipt(other, two.toLowerCase())]
    expect(nonces.map(({ status }) => status)).toEqual([200, 200])
    expect(new Set(nonces.map(({ body }) => body.data.nonce)).size).toBe(2)
    for (const [own, code] of [[device], [other, one], [device, two], [randomUUID(), one], [device, 'TEA']] as const)
      expect((await receipt(own, code)).status).toBe(404)
  })

  test('the checks of a vote have one order: closed before the code, the code before the repeat', async () => {
    const { codes, poll } = await pollWithCodes(1)
    const [code = ''] = codes
    const device = randomUUID()
    await cast(poll, code, { device })
    await patchPoll(service, brand, poll.slug, { archived: true })
    expect(await cast(poll, 'TEA', { device })).toMatchObject({
      status: 409,
      body: { error: { code: 'POLST_CLOSED' } },
    })
    expect((await cast(poll, code, { device })).body.error.details).toMatchObject({ existingVote: { option: 'A' } })
    expect((await cast(poll, code)).body.error.details).not.toHaveProperty('existingVote')
  })

  test('an open poll ignores the header, and a poll takes another list only before its first vote', async () => {
    const { list, codes, poll } = await pollWithCodes(2)
    const [one = '', two = ''] = codes
    const open = await service.createPoll(brand)
    expect(open).toMatchObject({ admission: 'open', codeListId: null })
    const device = randomUUID()
    expect((await cast(open, one, { device })).status).toBe(201)
    expect((await cast(open, 'TEA', { device })).status).toBe(409)
    expect((await patchPoll(service, brand, open.slug, { codeListId: list.codeListId })).body.error.code).toBe(
      'POLST_HAS_VOTES',
    )
    expect((await patchPoll(service, brand, poll.slug, { codeListId: null })).body.data).toMatchObject({
      admission: 'open',
    })
    expect((await service.vote(poll.slug, 'A')).status).toBe(201)
    const later = await service.createPoll(brand)
    expect((await patchPoll(service, brand, later.slug, { codeListId: list.codeListId.toUpperCase() })).status).toBe(
      200,
    )
    expect((await service.vote(later.slug, 'A')).body.error.code).toBe('CODE_REQUIRED')
    expect((await cast(later, two)).status).toBe(201)
    expect((await patchPoll(service, brand, later.slug, { codeListId: null })).body.error.code).toBe('POLST_HAS_VOTES')
    const same = await patchPoll(service, brand, later.slug, { codeListId: list.codeListId, title: 'Milk?' })
    expect(same.status).toBe(200)
    expect((await write('DELETE', `${LISTS}/${list.codeListId}`)).body.error.code).toBe('CODE_LIST_IN_USE')
    expect((await write('DELETE', `brands/me/polls/${later.slug}`)).status).toBe(204)
    expect((await write('DELETE', `${LISTS}/${list.codeListId}`)).status).toBe(204)
  })

  test('a code used on several polls counts once, and no longer when its votes are removed', async () => {
    const { list, codes, poll } = await pollWithCodes(2)
    const [one = '', two = ''] = codes
    const second = await service.createPoll(brand, { codeListId: list.codeListId })
    await Promise.all([cast(poll, one), cast(second, one), cast(second, two)])
    expect(await readCodeList(service, brand, list.codeListId)).toMatchObject({ used: 2, polls: 2 })
    await write('DELETE', `brands/me/polls/${second.slug}`)
    service.clock.advance(60_000)
    await service.runDue()
    expect(await readCodeList(service, brand, list.codeListId)).toMatchObject({ used: 1, polls: 1 })
  })

  test('the published polls of a campaign have one list or none, and a device walks it with one code', async () => {
    const { list, codes, poll } = await pollWithCodes(2)
    const second = await service.createPoll(brand, { codeListId: list.codeListId })
    const open = await service.createPoll(brand)
    const draft = await service.createPoll(brand, { isDraft: true })
    const mixed = await postCampaign(service, brand, { title: 'Mixed', polstIds: [poll.id, open.id] })
    expect([mixed.status, ...problemsOf(mixed)]).toEqual([422, 'polstIds mixed_code_lists'])
    const campaign: CampaignData = await createCampaign(service, brand, [poll, second, draft])
    const published = await patchPoll(service, brand, draft.slug, { isDraft: false })
    expect([published.status, ...problemsOf(published)]).toEqual([422, 'codeListId mixed_code_lists'])
    expect((await patchPoll(service, brand, second.slug, { codeListId: null })).status).toBe(422)
    const right = { isDraft: false, codeListId: list.codeListId }
    expect((await patchPoll(service, brand, draft.slug, right)).status).toBe(200)
    const [one = '', two = ''] = codes
    const device = randomUUID()
    await cast(poll, one, { device })
    await cast(second, one, { device })
    await cast(poll, two, { device })
    const steps = async (headers: Record<string, string>) => {
      const path = `campaigns/${campaign.campaignId}/progress`
      return (await service.get<{ completedSteps: number }>(path, { device, headers })).body.data.completedSteps
    }
    expect(await steps({ 'X-Vote-Code': one })).toBe(2)
    expect(await steps({ 'X-Vote-Code': two })).toBe(1)
    expect(await steps({})).toBe(0)
    await service.request('DELETE', 'guests/me', { device, headers: { ...newNetwork(), 'X-Vote-Code': one } })
    const path = `brands/me/polls/${poll.slug}/voters`
    const seen = await service.get<{ respondentId: string }[]>(path, { token: brand.token })
    expect(new Set(seen.body.data.map(({ respondentId }) => respondentId)).size).toBe(2)
  })

  test('bad input is refused with the name of the field', async () => {
    const { list, codes } = await pollWithCodes(1)
    const path = `${LISTS}/${list.codeListId}`
    const problems = async (method: 'POST' | 'PATCH', to: string, json: object) => {
      const reply = await write(method, to, json)
      return [reply.status, ...problemsOf(reply).map((problem) => problem.split(' ')[0])]
    }
    for (const name of ['', '   ', 'x'.repeat(81), 7, null, 'a\u0007b', undefined])
      expect(await problems('POST', LISTS, { name })).toEqual([422, 'name'])
    expect(await problems('PATCH', path, { name: '' })).toEqual([422, 'name'])
    expect(await problems('PATCH', path, { issued: 7 })).toEqual([422, 'issued'])
    for (const count of [0, -1, 1.5, 1_001, '3', null, undefined])
      expect(await problems('POST', `${path}/codes`, { count })).toEqual([422, 'count'])
    for (const given of [[], 'x', null, undefined, new Array(1_001).fill('x')])
      expect(await problems('POST', `${path}/codes/revoke`, { codes: given })).toEqual([422, 'codes'])
    expect(await problems('POST', `${path}/codes/revoke`, { codes: [codes[0], 7] })).toEqual([422, 'codes.1'])
    expect(await problems('POST', `${LISTS}/tea/codes`, { count: 1 })).toEqual([422, 'codeListId'])
    const poll = await service.createPoll(brand)
    const patched = await patchPoll(service, brand, poll.slug, { codeListId: 'tea' })
    expect([patched.status, ...problemsOf(patched)]).toEqual([422, 'codeListId invalid_format'])
    const unknown = await patchPoll(service, brand, poll.slug, { codeListId: randomUUID() })
    expect([unknown.status, ...problemsOf(unknown)]).toEqual([422, 'codeListId unknown_code_list'])
    await service.db.updateTable('code_lists').set({ issued: 200_000 }).where('id', '=', list.codeListId).execute()
    expect(await problems('POST', `${path}/codes`, { count: 1 })).toEqual([422, 'count'])
  })

  test("another brand's list is as good as missing", async () => {
    const { list } = await pollWithCodes(1)
    const { token } = await service.createBrand()
    const path = `${LISTS}/${list.codeListId}`
    const answers = [
      await service.get(path, { token }),
      await service.write('PATCH', path, { token, json: { name: 'Mine' } }),
      await service.write('DELETE', path, { token }),
      await service.write('POST', `${path}/codes`, { token, json: { count: 1 } }),
      await service.write('POST', `${path}/codes/revoke`, { token, json: { codes: ['x'] } }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
    const foreign = await service.write('POST', 'brands/me/polls', {
      token,
      json: { title: 'Mine?', optionA: { label: 'Yes' }, optionB: { label: 'No' }, codeListId: list.codeListId },
    })
    expect([foreign.status, ...problemsOf(foreign)]).toEqual([422, 'codeListId unknown_code_list'])
  })
})
