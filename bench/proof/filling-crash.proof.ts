import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  ChildService,
  createHome,
  createOwner,
  type Home,
  inDatabase,
  OwnerClient,
} from '../../server/test/child-service.ts'
import { engines } from '../../server/test/engines.ts'
import { eventually } from '../../server/test/eventually.ts'
import { ADMIN_URL } from '../../server/test/own-database.ts'
import { castInto } from '../../server/test/voters.ts'

// Three process starts, and many votes to walk through, on a machine that may be busy.
setDefaultTimeout(120_000)

const VOTES = 60_000
const KILLS = 2

interface Progress {
  readonly isComplete: boolean
  readonly votesRead: number
  readonly votesToRead: number
}

describe.each([...engines])('%s: a process that dies while a campaign is filled', (engine) => {
  let home: Home
  let server: ChildService
  beforeEach(async () => {
    home = await createHome(engine === 'postgres' ? ADMIN_URL : null)
  })
  afterEach(async () => {
    await server.kill()
    await home.remove()
  })

  test('misses no respondent, adds none twice, and reads no vote again', async () => {
    const owner = await createOwner(home, 'acme')
    server = await ChildService.start(home)
    let client = await OwnerClient.connect(server.url, owner)
    const polls = [await client.createPoll('hot'), await client.createPoll('cold')]
    await inDatabase(home, async ({ engine: opened }) => {
      for (const slug of ['hot', 'cold']) {
        const poll = opened.db.selectFrom('polls').select('key').where('slug', '=', slug)
        await castInto(opened, (await poll.executeTakeFirstOrThrow()).key, VOTES / 2)
      }
    })
    const campaignId = await client.createCampaign(polls)
    const path = `brands/me/campaigns/${campaignId}`
    const progress = async () => (await client.read<{ responsesProgress: Progress }>(path)).responsesProgress

    let votesRead = 0
    for (let kill = 0; kill < KILLS; kill++) {
      const enough = Math.min(VOTES - 1, votesRead + 5_000)
      let now = await progress()
      expect(now.votesRead).toBeGreaterThanOrEqual(votesRead)
      while (now.votesRead < enough) now = await progress()
      await server.kill()
      votesRead = now.votesRead
      server = await ChildService.start(home)
      client = await OwnerClient.connect(server.url, owner)
    }
    await eventually(async () => (await progress()).isComplete, { withinMs: 60_000 })
    expect(await progress()).toEqual({ isComplete: true, votesRead: VOTES, votesToRead: VOTES })
    const file = await fetch(`${server.url}/api/rest/v1/${path}/responses`, {
      headers: { ...client.headers, Accept: 'application/x-ndjson' },
    })
    const lines = (await file.text()).trimEnd().split('\n')
    const records: { respondentId: string; totalVotes: number }[] = lines.map((line) => JSON.parse(line))
    expect(new Set(records.map(({ respondentId }) => respondentId)).size).toBe(VOTES)
    expect(records.reduce((votes, { totalVotes }) => votes + totalVotes, 0)).toBe(VOTES)
  })
})
