import { Database } from 'bun:sqlite'
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { newPlace, type Serving, serve, tossup, tossupJson } from './command.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { archiveBytes, readBrandArchive, withRows } from './forged-archive.ts'

// Many processes, one after the other, which start slowly on a busy machine.
setDefaultTimeout(180_000)

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const work of undo.splice(0).toReversed()) await work()
})

interface Poll {
  readonly id: string
  readonly slug: string
  readonly tallies: { readonly total: number } | null
  readonly optionA: { readonly imageUrl: string | null }
  readonly categories: { readonly slug: string }[]
}

async function read<Data>(server: Serving, path: string): Promise<Data> {
  const answer = await fetch(`${server.url}/api/rest/v1/${path}`)
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return ((await answer.json()) as { data: Data }).data
}

/** The feed's polls, each with all its fields. */
async function readPolls(server: Serving): Promise<Poll[]> {
  const feed = await read<{ slug: string }[]>(server, 'brands/corner-cafe/polls')
  return Promise.all(feed.map(({ slug }) => read<Poll>(server, `polls/${slug}`)))
}

async function serving(settings: Record<string, string>): Promise<Serving> {
  const server = await serve({ ...settings, LOG_LEVEL: 'error' })
  undo.push(async () => {
    server.kill('SIGTERM')
    await server.ended
  })
  return server
}

test.each([...engines])(
  '%s: a brand moves to another service, with its pictures, ids and votes, or without votes',
  async (engine) => {
    const [from, to, bare] = [await newPlace(engine), await newPlace('sqlite'), await newPlace(engine)]
    undo.push(from.clear, to.clear, bare.clear)
    const source = await serving({ ...from.settings, DEMO: 'true' })
    const campaign = source.said.demo?.campaignId
    const [whole, empty] = [join(from.dataDir, 'whole.tar'), join(from.dataDir, 'empty.tar')]
    const exported = await tossupJson(
      ['brand', 'export', '--brand', 'corner-cafe', '--out', whole, '--votes'],
      from.settings,
    )
    expect(exported).toMatchObject({ slug: 'corner-cafe', missingFiles: [], counts: { polls: 5, votes: 252 } })
    await tossupJson(['brand', 'export', '--brand', 'corner-cafe', '--out', empty], from.settings)

    expect(await tossupJson(['brand', 'import', whole], to.settings)).toMatchObject({
      slug: 'corner-cafe',
      hasVotes: true,
    })
    const target = await serving(to.settings)
    const before = await readPolls(source)
    const after = await readPolls(target)
    const shown = ({ id, slug, tallies, categories }: Poll) => [id, slug, tallies, categories.map((each) => each.slug)]
    expect(after.map(shown)).toEqual(before.map(shown))
    const picture = await fetch(target.url + new URL(after[0]?.optionA.imageUrl ?? '').pathname)
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/webp'])
    expect(await read<{ campaignId: string }>(target, `campaigns/${campaign}`)).toMatchObject({ campaignId: campaign })
    expect(await tossupJson(['verify'], to.settings)).toMatchObject({ isSound: true })
    const vote = {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Device-Id': crypto.randomUUID() },
      body: '{"option":"B"}',
    }
    expect((await fetch(`${target.url}/api/rest/v1/polls/tea-or-coffee/votes`, vote)).status).toBe(201)

    // The votes are added to the counts of the brand in the background.
    const app = await tossupJson<{ apiKeyId: string; apiKeySecret: string }>(
      ['app', 'create', '--brand', 'corner-cafe', '--scopes', 'analytics'],
      to.settings,
    )
    const key = { 'X-API-Key-ID': app.apiKeyId, 'X-API-Key-Secret': app.apiKeySecret }
    const given = {
      method: 'POST',
      headers: { ...key, 'Content-Type': 'application/json' },
      body: '{"externalDeviceId":"owner"}',
    }
    const token = (
      (await (await fetch(`${target.url}/api/rest/v1/auth/token`, given)).json()) as { data: { accessToken: string } }
    ).data.accessToken
    const file = new Database(join(to.dataDir, 'tossup.sqlite'), { readonly: true })
    undo.push(() => file.close())
    const totals = file.query<{ votes: number }, []>('select sum(vote_total) as votes from polls')
    await eventually(() => (totals.get()?.votes ?? 0) >= 253)
    // Asked once, because its numbers are kept for a minute.
    const answer = await fetch(`${target.url}/api/rest/v1/brands/me/summary`, {
      headers: { Authorization: `Bearer ${token}` },
    })
    const { data } = (await answer.json()) as { data: { votes: { total: number } } }
    // The 252 of the archive, and the one above.
    expect(data.votes.total).toBe(253)

    // Beside a running server, and without votes.
    const other = await serving(bare.settings)
    await tossupJson(['brand', 'import', empty], bare.settings)
    const counts = (await readPolls(other)).map(({ tallies }) => tallies?.total)
    expect(counts).toEqual(before.map(() => 0))
    expect(await tossupJson(['verify'], bare.settings)).toMatchObject({ isSound: true })

    const again = await tossup(['brand', 'import', empty], bare.settings)
    expect([again.code, again.stderr]).toEqual([1, expect.stringMatching(/is here already|slug corner-cafe already/)])
    // The pictures of the brand that is there have stayed.
    expect(await tossupJson(['verify'], bare.settings)).toMatchObject({ isSound: true })
    const restored = await tossup(['restore', empty], { DATA_DIR: join(to.dataDir, 'elsewhere') })
    expect(restored.stderr).toBe('The archive holds one brand: use `tossup brand import`.\n')
    expect(
      (await tossup(['brand', 'export', '--brand', 'nobody', '--out', join(from.dataDir, 'x')], from.settings)).stderr,
    ).toBe('There is no brand with the slug nobody.\n')
  },
)

test('a killed import can be repeated, also with rows of an earlier version', async () => {
  const [from, to] = [await newPlace('sqlite'), await newPlace('sqlite')]
  undo.push(from.clear, to.clear)
  const source = await serve({ ...from.settings, DEMO: 'true', LOG_LEVEL: 'error' })
  source.kill('SIGTERM')
  await source.ended
  const sound = join(from.dataDir, 'sound.tar')
  await tossupJson(['brand', 'export', '--brand', 'corner-cafe', '--out', sound], from.settings)
  await tossupJson(['migrate'], to.settings)

  const pictures = (folder: string) =>
    readdirSync(join(folder, 'files'))
      .filter((name) => !name.startsWith('.'))
      .sort()

  // Leave what a killed import leaves: half of a picture, and no row.
  const [first = ''] = pictures(from.dataDir)
  await Bun.write(join(to.dataDir, 'files', first), 'half')
  const untitled = join(from.dataDir, 'earlier.tar')
  const earlier = withRows(await readBrandArchive(sound), 'polls', (rows) =>
    rows.map(({ title_sort, vote_total, ...row }) =>
      row['slug'] === 'tea-or-coffee' ? { ...row, label_b: row['label_a'] } : row,
    ),
  )
  await Bun.write(untitled, await archiveBytes(earlier))
  const imported = await tossupJson(['brand', 'import', untitled], to.settings)
  expect(imported).toMatchObject({ sameLabels: ['tea-or-coffee'] })
  const whole = (folder: string) => readFileSync(join(folder, 'files', first))
  expect(whole(to.dataDir).equals(whole(from.dataDir))).toBe(true)
  const database = new Database(join(to.dataDir, 'tossup.sqlite'))
  undo.push(() => database.close())
  expect(database.query("select title from polls where title_sort = ''").all()).toEqual([])
})
