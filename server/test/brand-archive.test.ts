import { expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { sql } from 'kysely'
import { createCampaign, deleteCampaign } from './campaigns.ts'
import { createCodeList, issueCodes, voteByCode } from './codes.ts'
import { newPlace, type Place, TEST_SECRET, tossupJson } from './command.ts'
import { engines } from './engines.ts'
import { type PollData, startTestService } from './service.ts'

// Pictures, campaigns, forged archives and killed imports: `brand-archive.proof.ts`.

// Processes start slowly on a busy machine.
setDefaultTimeout(240_000)

const serviceIn = ({ settings }: Place) =>
  startTestService('sqlite', { settings: { ...settings, SECRET_KEY: TEST_SECRET }, keepsData: true })

test.each([...engines])('%s: a brand moves to another service with its poll and votes', async (engine) => {
  const [from, to] = [await newPlace(engine), await newPlace('sqlite')]
  try {
    let source = await serviceIn(from)
    const brand = await source.createBrand()
    const poll = await source.createPoll(brand, { tags: ['breakfast'], optionOrder: 'random' })
    const mine = { token: brand.token }
    for (const name of ['poster', 'mail'])
      await source.write('POST', 'brands/me/source-names', { ...mine, json: { name } })
    const [campaign, deleted] = [
      await createCampaign(source, brand, [poll]),
      await createCampaign(source, brand, [poll]),
    ]
    for (const [option, { campaignId }] of [['A', campaign] as const, ['B', deleted] as const]) {
      const json = { option, source: 'mail', shown: 'BA', campaign: campaignId }
      await source.post(`polls/${poll.slug}/votes`, { device: randomUUID(), json })
      await source.post(`polls/${poll.slug}/views?source=mail&campaign=${campaignId}`)
    }
    // A stop stores the views under both campaigns, before one of them is deleted.
    await source.stop()
    source = await serviceIn(from)
    await deleteCampaign(source, brand, deleted.campaignId)
    await source.vote(poll.slug, 'B')
    const { codeListId } = await createCodeList(source, brand, 'Members')
    const codes = await issueCodes(source, brand, { codeListId, count: 3 })
    const closed = await source.createPoll(brand, { codeListId })
    await voteByCode(source, closed, { code: codes[0] ?? '', device: randomUUID() })
    await source.write('POST', `brands/me/code-lists/${codeListId}/codes/revoke`, {
      ...mine,
      json: { codes: [codes[1]] },
    })
    await source.write('POST', `brands/me/polls/${poll.slug}/results-links`, { ...mine, json: {} })
    const json = { title: 'Tea, or coffee?', optionA: { label: 'Chai' } }
    await source.write('PATCH', `brands/me/polls/${poll.slug}`, { token: brand.token, json })
    const before = (await source.get<PollData>(`polls/${poll.slug}`)).body.data
    await source.stop()

    const file = join(from.dataDir, 'brand.tar')
    const secret = { SECRET_KEY: TEST_SECRET }
    const settings = { ...from.settings, ...secret }
    expect(
      await tossupJson(['brand', 'export', '--brand', brand.slug, '--out', file, '--votes'], settings),
    ).toMatchObject({
      slug: brand.slug,
      missingFiles: [],
      counts: { polls: 2, votes: 4, code_lists: 1, codes: 3, code_uses: 1 },
    })
    const imported = await tossupJson(['brand', 'import', file], { ...to.settings, ...secret })
    expect(imported).toMatchObject({ slug: brand.slug, hasVotes: true })

    const target = await serviceIn(to)
    const after = (await target.get<PollData>(`polls/${poll.slug}`)).body.data
    const lists = target.db.selectFrom('code_lists').select(['id', 'name', 'issued', 'revoked', 'used'])
    expect(await lists.execute()).toEqual([{ id: codeListId, name: 'Members', issued: 3, revoked: 1, used: 1 }])
    expect(await target.db.selectFrom('codes').select('is_revoked').where('is_revoked', '=', 1).execute()).toHaveLength(
      1,
    )
    const uses = target.db
      .selectFrom('code_uses')
      .innerJoin('polls', 'polls.key', 'code_uses.poll_key')
      .select('polls.id')
    expect(await uses.execute()).toEqual([{ id: closed.id }])
    expect((await target.get<PollData>(`polls/${closed.slug}`)).body.data).toMatchObject({ admission: 'code' })
    expect([after.id, after.shortId, after.tags, after.tallies]).toEqual([
      before.id,
      before.shortId,
      before.tags,
      { optionA: 1, optionB: 2, total: 3 },
    ])
    const kept = await target.db.selectFrom('poll_revisions').selectAll().execute()
    expect(kept.map(({ poll_key: _, ...row }) => row)).toEqual([
      { revised_at: Date.parse(before['revisedAt'] as string), title: poll.title, label_a: 'Tea', label_b: 'Coffee' },
    ])
    const only = async (table: 'campaigns' | 'source_names', column: 'title' | 'name', value: string) =>
      (await target.db.selectFrom(table).select('key').where(sql.ref(column), '=', value).executeTakeFirstOrThrow()).key
    const [mail, key] = [await only('source_names', 'name', 'mail'), await only('campaigns', 'title', campaign.title)]
    const attributed = { source_key: mail, shown: 'BA' }
    const columns = ['source_key', 'shown', 'campaign_key'] as const
    const votes = target.db
      .selectFrom('votes')
      .innerJoin('polls', 'polls.key', 'votes.poll_key')
      .select(columns)
      .where('slug', '=', poll.slug)
      .orderBy('position')
    expect(await votes.execute()).toEqual([
      { ...attributed, campaign_key: key },
      { ...attributed, campaign_key: null },
      { source_key: null, shown: null, campaign_key: null },
    ])
    const counts = target.db.selectFrom('attributed_counts').select([...columns, 'option_a', 'option_b'])
    expect(await counts.orderBy('campaign_key').execute()).toEqual([
      { source_key: mail, shown: 'BA', campaign_key: 0, option_a: 0, option_b: 1 },
      { source_key: mail, shown: 'BA', campaign_key: key, option_a: 1, option_b: 0 },
    ])
    const seen = target.db.selectFrom('view_counts').select(['source_key', 'campaign_key', 'views'])
    expect(await seen.orderBy('campaign_key').execute()).toEqual([
      { source_key: mail, campaign_key: 0, views: 1 },
      { source_key: mail, campaign_key: key, views: 1 },
    ])
    expect(after['optionOrder']).toBe('random')
    // Links would open under the address of another service.
    expect(await target.db.selectFrom('results_links').select('id').execute()).toEqual([])
    await target.stop()
  } finally {
    await from.clear()
    await to.clear()
  }
})
