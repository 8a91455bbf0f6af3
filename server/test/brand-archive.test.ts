import { expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { newPlace, type Place, TEST_SECRET, tossupJson } from './command.ts'
import { engines } from './engines.ts'
import { type PollData, startTestService } from './service.ts'

// Pictures, campaigns, forged archives and killed imports: `brand-archive.proof.ts`.

// Processes start slowly on a busy machine.
setDefaultTimeout(60_000)

const serviceIn = ({ settings }: Place) =>
  startTestService('sqlite', { settings: { ...settings, SECRET_KEY: TEST_SECRET }, keepsData: true })

test.each([...engines])('%s: a brand moves to another service with its poll and votes', async (engine) => {
  const [from, to] = [await newPlace(engine), await newPlace('sqlite')]
  try {
    const source = await serviceIn(from)
    const brand = await source.createBrand()
    const poll = await source.createPoll(brand, { tags: ['breakfast'] })
    for (const option of ['A', 'B', 'B']) await source.vote(poll.slug, option)
    const before = (await source.get<PollData>(`polls/${poll.slug}`)).body.data
    await source.stop()

    const file = join(from.dataDir, 'brand.tar')
    const secret = { SECRET_KEY: TEST_SECRET }
    const settings = { ...from.settings, ...secret }
    expect(
      await tossupJson(['brand', 'export', '--brand', brand.slug, '--out', file, '--votes'], settings),
    ).toMatchObject({ slug: brand.slug, missingFiles: [], counts: { polls: 1, votes: 3 } })
    const imported = await tossupJson(['brand', 'import', file], { ...to.settings, ...secret })
    expect(imported).toMatchObject({ slug: brand.slug, hasVotes: true })

    const target = await serviceIn(to)
    const after = (await target.get<PollData>(`polls/${poll.slug}`)).body.data
    expect([after.id, after.shortId, after.tags, after.tallies]).toEqual([
      before.id,
      before.shortId,
      before.tags,
      { optionA: 1, optionB: 2, total: 3 },
    ])
    await target.stop()
  } finally {
    await from.clear()
    await to.clear()
  }
})
