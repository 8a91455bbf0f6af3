import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { type CampaignData, createCampaign, deleteCampaign, patchCampaign, postCampaign, slugsOf } from './campaigns.ts'
import { dumpTables } from './dump.ts'
import { engines } from './engines.ts'
import { deletePoll, patchPoll, problemsOf } from './polls.ts'
import { outcomeOf, type PollData, type Reply, startTestService, type TestBrand, type TestService } from './service.ts'

describe.each([...engines])('%s: whose polls and campaigns', (engine) => {
  let service: TestService
  let brand: TestBrand
  let stranger: TestBrand
  let own: PollData
  let foreign: PollData
  let archived: PollData
  let deleted: PollData
  beforeAll(async () => {
    // No job moves events or extends logs between two dumps.
    service = await startTestService(engine, { jobs: 'by hand' })
    brand = await service.createBrand()
    stranger = await service.createBrand()
    own = await service.createPoll(brand)
    foreign = await service.createPoll(stranger)
    archived = await service.createPoll(brand)
    deleted = await service.createPoll(brand)
    await patchPoll(service, brand, archived.slug, { archived: true })
    await deletePoll(service, brand, deleted.slug)
  })
  afterAll(() => service.stop())

  // spec: 4.8-3, 4.8-6, 7-3
  test('polls of another brand, archived, deleted and unknown polls are listed in the order and spelling of the request', async () => {
    const unknown = 'ABCDEF00-1111-1111-1111-111111111111'
    const polstIds = [archived.id, own.id, unknown, foreign.id.toUpperCase(), deleted.id]
    const { campaignId } = await createCampaign(service, brand, [own])
    const before = await dumpTables(service.db, { except: ['idempotency_keys'] })
    for (const reply of [
      await postCampaign(service, brand, { title: 'Stolen', polstIds }),
      await patchCampaign(service, brand, campaignId, { title: 'Stolen', polstIds }),
    ]) {
      expect(outcomeOf(reply)).toBe('400 INVALID_POLST_OWNERSHIP')
      expect(reply.body.error.details).toEqual({ foreignPolstIds: polstIds.filter((id) => id !== own.id) })
    }
    expect(await dumpTables(service.db, { except: ['idempotency_keys'] })).toEqual(before)
  })

  test("another brand's poll and an unknown poll are refused in the same words", async () => {
    const refusals: { status: number; code: string; message: string }[] = []
    for (const id of [foreign.id, randomUUID()]) {
      const { status, body } = await postCampaign(service, brand, { title: 'Stolen', polstIds: [id] })
      refusals.push({ status, code: body.error.code, message: body.error.message })
    }
    expect(refusals[0]).toEqual(refusals[1])
  })

  test('a poll that is in the campaign and was archived since must be left out of a new list', async () => {
    const poll = await service.createPoll(brand)
    const { campaignId } = await createCampaign(service, brand, [own, poll])
    await patchPoll(service, brand, poll.slug, { archived: true })
    const reply = await patchCampaign(service, brand, campaignId, { polstIds: [poll.id, own.id] })
    expect([outcomeOf(reply), reply.body.error.details]).toEqual([
      '400 INVALID_POLST_OWNERSHIP',
      { foreignPolstIds: [poll.id] },
    ])
    const renamed = await patchCampaign(service, brand, campaignId, { title: `Still ${campaignId}` })
    expect(slugsOf(renamed.body.data)).toEqual([own.slug, poll.slug])
  })

  test('a refusal is replayed in the same words, even when the poll could join by now', async () => {
    const poll = await service.createPoll(brand)
    await patchPoll(service, brand, poll.slug, { archived: true })
    const ask = { token: brand.token, key: randomUUID(), json: { title: `R ${poll.id}`, polstIds: [poll.id] } }
    const first = await service.post('brands/me/campaigns', ask)
    await patchPoll(service, brand, poll.slug, { archived: false })
    const second = await service.post('brands/me/campaigns', ask)
    expect([first.text, outcomeOf(second)]).toEqual([second.text, '400 INVALID_POLST_OWNERSHIP'])
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(outcomeOf(await postCampaign(service, brand, ask.json))).toBe('201 fine')
  })

  // spec: 7-8
  test("another brand's campaign, a deleted one and an unknown one answer the same 404, and nothing changes", async () => {
    const theirs = await createCampaign(service, stranger, [foreign])
    const gone = await createCampaign(service, brand, [own])
    await deleteCampaign(service, brand, gone.campaignId)
    const before = (await service.get(`campaigns/${theirs.campaignId}`)).text
    const answers = new Set<string>()
    for (const id of [theirs.campaignId, gone.campaignId, randomUUID(), '11111111-1111-1111-1111-111111111111']) {
      const { token } = brand
      for (const reply of [
        await service.get(`brands/me/campaigns/${id}`, { token }),
        await patchCampaign(service, brand, id, { title: 'Mine', polstIds: [own.id] }),
        await deleteCampaign(service, brand, id),
      ]) {
        const { requestId: _, ...error } = reply.body.error
        answers.add(JSON.stringify([reply.status, error]))
      }
    }
    expect([...answers]).toHaveLength(1)
    expect([...answers][0]).toContain('404,{"code":"NOT_FOUND"')
    expect((await service.get(`campaigns/${theirs.campaignId}`)).text).toBe(before)
    const list = await service.get<CampaignData[]>('brands/me/campaigns', { token: brand.token })
    expect(list.body.data.map(({ campaignId }) => campaignId)).not.toContain(theirs.campaignId)
  })

  // spec: 2.1-2, 4.9-3, 7-9
  test('an id that is no UUID is refused as malformed, before any lookup', async () => {
    const { token } = brand
    for (const id of ['x', own.slug, own.shortId, `${randomUUID()}0`, randomUUID().replaceAll('-', '')]) {
      for (const reply of [
        await service.get(`campaigns/${id}`),
        await service.get(`campaigns/${id}/tallies`),
        await service.get(`campaigns/${id}/progress`, { device: randomUUID() }),
        await service.get(`brands/me/campaigns/${id}`, { token }),
        await patchCampaign(service, brand, id, {}),
        await deleteCampaign(service, brand, id),
      ]) {
        expect(outcomeOf(reply)).toBe('422 VALIDATION_ERROR')
        expect(problemsOf(reply)).toEqual(['campaignId invalid_format'])
      }
    }
  })

  test('the order of checks: 404 before 422 of what is stored, that before ownership, ownership before 409', async () => {
    const full = await service.createPoll(brand)
    for (let i = 0; i < 20; i++) await createCampaign(service, brand, [full])
    const taken = await createCampaign(service, brand, [own])
    const windowed = await createCampaign(service, brand, [own], { opensAt: '2050-01-01T00:00:00Z' })
    const bad = { title: taken.title, polstIds: [full.id, foreign.id], closesAt: '2040-01-01T00:00:00Z' }
    const answers = [
      await patchCampaign(service, brand, randomUUID(), bad),
      await patchCampaign(service, brand, windowed.campaignId, bad),
      await patchCampaign(service, brand, windowed.campaignId, { ...bad, closesAt: null }),
      await patchCampaign(service, brand, windowed.campaignId, { title: taken.title, polstIds: [foreign.id] }),
      await patchCampaign(service, brand, windowed.campaignId, { title: taken.title, polstIds: [own.id] }),
      await postCampaign(service, brand, { title: taken.title, polstIds: [foreign.id, full.id] }),
      await postCampaign(service, brand, { title: taken.title, polstIds: [foreign.id] }),
      await postCampaign(service, brand, { title: taken.title, polstIds: [own.id] }),
    ]
    const named = (reply: Reply) =>
      reply.status === 422 ? `${outcomeOf(reply)} ${problemsOf(reply)}` : outcomeOf(reply)
    expect(answers.map(named)).toEqual([
      '404 NOT_FOUND',
      '422 VALIDATION_ERROR closesAt before_opens_at',
      '422 VALIDATION_ERROR polstIds.0 too_many_campaigns',
      '400 INVALID_POLST_OWNERSHIP',
      '409 CAMPAIGN_NAME_TAKEN',
      '422 VALIDATION_ERROR polstIds.1 too_many_campaigns',
      '400 INVALID_POLST_OWNERSHIP',
      '409 CAMPAIGN_NAME_TAKEN',
    ])
  })

  test('a poll is in at most 20 campaigns; leaving or deleting one makes room', async () => {
    const poll = await service.createPoll(brand)
    const made: string[] = []
    for (let i = 0; i < 20; i++) made.push((await createCampaign(service, brand, [poll])).campaignId)
    const [first = '', second = ''] = made
    const refused = async () =>
      problemsOf(await postCampaign(service, brand, { title: randomUUID(), polstIds: [poll.id] }))
    expect(await refused()).toEqual(['polstIds.0 too_many_campaigns'])
    const stays = await patchCampaign(service, brand, first, { polstIds: [own.id, poll.id] })
    expect(stays.status).toBe(200)
    await patchCampaign(service, brand, first, { polstIds: [own.id] })
    made.push((await createCampaign(service, brand, [poll])).campaignId)
    const back = await patchCampaign(service, brand, first, { polstIds: [poll.id] })
    expect(problemsOf(back)).toEqual(['polstIds.0 too_many_campaigns'])
    await deleteCampaign(service, brand, second)
    expect((await patchCampaign(service, brand, first, { polstIds: [poll.id] })).status).toBe(200)
    expect(await refused()).toEqual(['polstIds.0 too_many_campaigns'])
  })

  // spec: 2.5-2, 7-4
  test('a title is unique within a brand in any case or composition, and free for other brands', async () => {
    const made = await createCampaign(service, brand, [own], { title: 'Straße Café ΟΔΟΣ' })
    for (const title of ['straße café οδος', 'STRASSE CAFE\u0301 ΟΔΟΣ', 'Straße Café οδοσ']) {
      expect(outcomeOf(await postCampaign(service, brand, { title, polstIds: [own.id] }))).toBe(
        '409 CAMPAIGN_NAME_TAKEN',
      )
      expect(outcomeOf(await postCampaign(service, brand, { name: title, polstIds: [own.id] }))).toBe(
        '409 CAMPAIGN_NAME_TAKEN',
      )
      const other = await createCampaign(service, brand, [own])
      expect(outcomeOf(await patchCampaign(service, brand, other.campaignId, { title }))).toBe(
        '409 CAMPAIGN_NAME_TAKEN',
      )
      expect(outcomeOf(await patchCampaign(service, brand, made.campaignId, { title }))).toBe('200 fine')
    }
    await createCampaign(service, stranger, [foreign], { title: 'Straße Café ΟΔΟΣ' })
    await createCampaign(service, brand, [own], { title: 'Strase Cafe' })
  })

  test('an archived campaign keeps its title; the refusal leaves nothing of the update', async () => {
    const kept = await createCampaign(service, brand, [own], { title: 'Kept', state: 'archived' })
    const other = await createCampaign(service, brand, [own])
    const two = await service.createPoll(brand)
    const patch = { title: 'kept', description: 'changed', polstIds: [two.id], isPublic: false }
    expect(outcomeOf(await patchCampaign(service, brand, other.campaignId, patch))).toBe('409 CAMPAIGN_NAME_TAKEN')
    const { body } = await service.get(`brands/me/campaigns/${other.campaignId}`, { token: brand.token })
    expect(body.data).toEqual(other)
    await patchCampaign(service, brand, kept.campaignId, { title: 'Let go' })
    expect((await patchCampaign(service, brand, other.campaignId, patch)).body.data).toMatchObject({
      title: 'kept',
      description: 'changed',
      isPublic: false,
    })
  })
})
