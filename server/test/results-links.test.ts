import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { LANGS } from '../../embed/src/words.ts'
import { transaction } from '../src/db/transaction.ts'
import { deleteBrand, removeFromBrand } from '../src/features/operator/delete-brand.ts'
import { WORDS } from '../src/words/words.ts'
import { type CampaignData, createCampaign, deleteCampaign } from './campaigns.ts'
import { createCodeList, issueCodes, voteByCode } from './codes.ts'
import { dumpTables } from './dump.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { newNetwork } from './network.ts'
import { deletePoll, patchPoll } from './polls.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

// Pictures take their time when the machine is busy.
setDefaultTimeout(60_000)

/** Within the life of an access token. */
const SOON = 60_000

/** How long counts of many rows are kept. */
const MINUTE = 60_000

interface LinkData {
  readonly linkId: string
  readonly url: string
  readonly expiresAt: string | null
  readonly createdAt: string
}

describe.each([...engines])('%s: links to results', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine, {
      jobs: 'by hand',
      settings: {
        LOG_LEVEL: 'trace',
        TRUSTED_PROXIES: '127.0.0.1',
        VOTES_PER_MINUTE: '1000',
        NETWORK_VOTES_PER_MINUTE: '0',
      },
    })
    // On a busy machine, to draw the first picture may take longer than a request may: the server answers 503 until then.
    const first = await service.createBrand()
    const { slug } = await service.createPoll(first)
    const path = `brands/me/polls/${slug}/results.png`
    await eventually(async () => (await service.get(path, { token: first.token })).status === 200, { withinMs: 50_000 })
  }, 60_000)
  beforeEach(async () => {
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const pollLinks = ({ slug }: Pick<PollData, 'slug'>) => `brands/me/polls/${slug}/results-links`
  const campaignLinks = ({ campaignId }: CampaignData) => `brands/me/campaigns/${campaignId}/results-links`
  const create = (path: string, json: object = {}) =>
    service.write<LinkData>('POST', path, { token: brand.token, json })
  const listed = async (path: string) =>
    (await service.get<LinkData[]>(path, { token: brand.token })).body.data.map(({ linkId }) => linkId)
  const pathOf = ({ url }: LinkData) => new URL(url).pathname
  const open = (path: string, headers: Record<string, string> = {}) =>
    service.get(path, { headers: { ...newNetwork(), ...headers } })
  const statusOf = async (link: LinkData) => (await open(pathOf(link))).status

  async function votedPoll(fields: Record<string, unknown> = {}): Promise<PollData> {
    const poll = await service.createPoll(brand, fields)
    for (const option of ['A', 'A', 'B']) await service.vote(poll.slug, option)
    return poll
  }

  async function newLink(path: string, json: object = {}): Promise<LinkData> {
    const { status, text, body } = await create(path, json)
    expect(status, text).toBe(201)
    return body.data
  }

  test('are shown once, stored as a hash, and listed newest first until they are ended', async () => {
    const poll = await votedPoll()
    const first = await newLink(pollLinks(poll))
    expect(first.url).toMatch(new RegExp(`^${service.deps.config.publicUrl}/r/tsv_[A-Za-z0-9_-]{43}$`))
    expect(first.expiresAt).toBeNull()
    service.clock.advance(1_000)
    const second = await newLink(pollLinks(poll))
    const list = await service.get(pollLinks(poll), { token: brand.token })
    expect(list.body.data).toEqual(
      [second, first].map(({ linkId, expiresAt, createdAt }) => ({ linkId, expiresAt, createdAt })),
    )
    const token = pathOf(first).replace('/r/', '')
    expect(JSON.stringify(await dumpTables(service.db))).not.toContain(token)
    const end = () => service.write('DELETE', `${pollLinks(poll)}/${first.linkId}`, { token: brand.token })
    expect((await end()).status).toBe(204)
    expect((await end()).status).toBe(404)
    expect(await listed(pollLinks(poll))).toEqual([second.linkId])
    expect([await statusOf(first), await statusOf(second)]).toEqual([404, 200])
    const activity = await service.get<{ action: string; subject: { kind: string; id: string } }[]>(
      `brands/me/activity?subject=${poll.id}&limit=3`,
      { token: brand.token },
    )
    expect(activity.body.data.map(({ action, subject }) => [action, subject.kind])).toEqual([
      ['results_link.deleted', 'poll'],
      ['results_link.created', 'poll'],
      ['results_link.created', 'poll'],
    ])
    expect(activity.text).not.toContain(token)
  })

  test('of another brand, of another poll and unknown ones cannot be ended', async () => {
    const [poll, other] = [await votedPoll(), await votedPoll()]
    const link = await newLink(pollLinks(poll))
    const stranger = await service.createBrand()
    const tries = [
      [pollLinks(poll), link.linkId, stranger.token],
      [pollLinks(other), link.linkId, brand.token],
      [pollLinks(poll), randomUUID(), brand.token],
    ]
    for (const [path, id, token = ''] of tries)
      expect((await service.write('DELETE', `${path}/${id}`, { token })).status).toBe(404)
    expect((await service.write('POST', pollLinks(poll), { token: stranger.token, json: {} })).status).toBe(404)
    expect((await service.get(pollLinks(poll), { token: stranger.token })).status).toBe(404)
    expect(await statusOf(link)).toBe(200)
  })

  test('end at their time, with their poll and with their campaign; a deleted brand has none', async () => {
    const [poll, timed] = [await votedPoll(), await votedPoll()]
    const campaign = await createCampaign(service, brand, [poll])
    const late = await create(pollLinks(poll), { expiresAt: new Date(service.clock.now() - 1).toISOString() })
    expect([late.status, late.text]).toEqual([422, expect.stringContaining('in_the_past')])
    const expiresAt = new Date(service.clock.now() + SOON).toISOString()
    const links = [
      await newLink(pollLinks(timed), { expiresAt }),
      await newLink(pollLinks(poll)),
      await newLink(campaignLinks(campaign)),
    ] as const
    expect(links[0].expiresAt).toBe(expiresAt)
    expect(await Promise.all(links.map(statusOf))).toEqual([200, 200, 200])
    service.clock.advance(SOON)
    expect(await Promise.all(links.map(statusOf))).toEqual([404, 200, 200])
    expect(await listed(pollLinks(timed))).toEqual([])
    const kept = () => service.db.selectFrom('results_links').select('id').execute()
    await service.runDue()
    expect((await kept()).some(({ id }) => id === links[0].linkId)).toBe(false)
    await deletePoll(service, brand, poll.slug)
    expect(await Promise.all(links.map(statusOf))).toEqual([404, 404, 200])
    await deleteCampaign(service, brand, campaign.campaignId)
    expect(await Promise.all(links.map(statusOf))).toEqual([404, 404, 404])
    await service.runDue()
    const left = (await kept()).map(({ id }) => id)
    expect(links.filter(({ linkId }) => left.includes(linkId))).toEqual([])
  })

  test('end with their brand at once, and its removal leaves none', async () => {
    const poll = await votedPoll()
    const campaign = await createCampaign(service, brand, [poll])
    const links = [await newLink(pollLinks(poll)), await newLink(campaignLinks(campaign))]
    const stranger = await service.createBrand()
    const other = await service.createPoll(stranger)
    const kept = await service.write<LinkData>('POST', pollLinks(other), { token: stranger.token, json: {} })
    await transaction(service.deps.engine, (tx) => deleteBrand(service.deps, tx, brand.brandKey))
    expect(await Promise.all([...links, kept.body.data].map(statusOf))).toEqual([404, 404, 200])
    while (await removeFromBrand(service.deps, brand.brandKey));
    const left = (await service.db.selectFrom('results_links').select('id').execute()).map(({ id }) => id)
    expect(links.filter(({ linkId }) => left.includes(linkId))).toEqual([])
    expect(left).toContain(kept.body.data.linkId)
  })

  test('are 100 for each poll, and expired ones do not count', async () => {
    service.clock.freeze()
    const poll = await service.createPoll(brand)
    const { key } = await service.db
      .selectFrom('polls')
      .select('key')
      .where('id', '=', poll.id)
      .executeTakeFirstOrThrow()
    const now = service.clock.now()
    const rows = Array.from({ length: 100 }, (_, i) => ({
      id: randomUUID(),
      poll_key: key,
      hash: crypto.getRandomValues(new Uint8Array(32)),
      created_at: now,
      expires_at: i === 0 ? now + 1_000 : null,
    }))
    await service.db.insertInto('results_links').values(rows).execute()
    const full = await create(pollLinks(poll))
    expect([full.status, full.text]).toEqual([422, expect.stringContaining('too_many_links')])
    service.clock.advance(1_000)
    const more = await Promise.all([create(pollLinks(poll)), create(pollLinks(poll))])
    expect(more.map(({ status }) => status).sort()).toEqual([201, 422])
    service.clock.thaw()
  })

  test('show hidden results and nothing else does; no cache, search engine or other site learns of them', async () => {
    const poll = await votedPoll({ title: 'Secret numbers?', resultsVisibility: 'never', isPrivate: true })
    const surfaces = async () =>
      Promise.all(
        [`polls/${poll.slug}`, `polls/${poll.slug}/tallies`, `/p/${poll.shortId}`, `/embed/poll/${poll.shortId}`].map(
          async (path) => {
            const { text, headers } = await service.get(path)
            return [text, headers.get('etag')]
          },
        ),
      )
    const before = await surfaces()
    const link = await newLink(pollLinks(poll))
    const page = await open(pathOf(link))
    expect(page.text).toContain('2 votes')
    expect(page.text).toContain('67%')
    expect(page.text).toContain('<meta name="robots" content="noindex">')
    expect(page.text).toContain(`${WORDS.en.results.shared}</p>`)
    expect(await surfaces()).toEqual(before)
    for (const file of ['', '/results.png', '/results.csv', '/timeline.csv', '/sources.csv']) {
      const { status, headers } = await open(pathOf(link) + file)
      expect([file, status]).toEqual([file, 200])
      expect(headers.get('cache-control')).toBe('private, no-store')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('x-robots-tag')).toBe('noindex')
    }
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(service.logLines.join('')).not.toContain(pathOf(link).replace('/r/', ''))
    expect(service.logLines.join('')).toContain('"path":"/r/{token}"')
  })

  test('that are unknown, malformed, ended or expired answer alike, and a network has a limit', async () => {
    const poll = await votedPoll()
    const ended = await newLink(pollLinks(poll))
    await service.write('DELETE', `${pollLinks(poll)}/${ended.linkId}`, { token: brand.token })
    const expired = await newLink(pollLinks(poll), { expiresAt: new Date(service.clock.now() + SOON).toISOString() })
    service.clock.advance(SOON)
    const answers = new Set<string>()
    for (const token of [pathOf(ended).slice(3), pathOf(expired).slice(3), `tsv_${'A'.repeat(43)}`, 'x', '%00']) {
      for (const file of ['', '/results.png', '/results.csv', '/timeline.csv', '/sources.csv']) {
        const asked = { headers: { ...newNetwork(), Accept: 'text/html' } }
        const answer = await fetch(`${service.service.url}/r/${token}${file}`, asked)
        const [id, caching] = ['x-request-id', 'cache-control'].map((name) => answer.headers.get(name) ?? '')
        answers.add(`${answer.status} ${caching} ${(await answer.text()).replaceAll(id ?? '', '')}`)
      }
    }
    expect(answers.size).toBe(1)
    expect([...answers][0]).toStartWith('404 private, no-store')
    const headers = newNetwork()
    const statuses = new Set<number>()
    for (let i = 0; i < 121; i++) statuses.add((await service.get('/r/x', { headers })).status)
    expect([...statuses]).toEqual([404, 429])
  })

  test('show the page in each language, with foreign text escaped, and follow what changes', async () => {
    const poll = await votedPoll({ title: '<script>alert(1)</script>', optionA: { label: '"><i>' } })
    const link = await newLink(pollLinks(poll))
    for (const lang of LANGS) {
      const { text } = await open(`${pathOf(link)}?lang=${lang}`)
      expect(text).toContain(`lang="${lang}"`)
      expect(text).toContain(WORDS[lang].results.tooClose)
      expect(text).toContain(WORDS[lang].results.notEverybody)
      expect(text).not.toContain('<script>alert')
      expect(text).not.toContain('"><i>')
      expect(text).not.toMatch(/\{\w+\}/)
    }
    await patchPoll(service, brand, poll.slug, { title: 'Another title?', archived: true })
    await service.write('PATCH', `brands/me/polls/${poll.slug}`, { token: brand.token, json: { title: 'Later?' } })
    const { text } = await open(pathOf(link))
    expect(text).toContain('Later?')
    expect(text).toContain(WORDS.en.results.closed)
  })

  test('say who leads only where the evidence is enough, and save pictures and files', async () => {
    const poll = await service.createPoll(brand, { title: '=1+1', optionA: { label: 'Tea' } })
    const link = await newLink(pollLinks(poll))
    expect((await open(pathOf(link))).text).toContain(WORDS.en.results.noVotesMeans)
    for (let i = 0; i < 12; i++) await service.vote(poll.slug, 'A')
    const { text } = await open(pathOf(link))
    expect(text).toContain('<bdi>Tea</bdi> is ahead')
    expect(text).toContain(`${WORDS.en.results.shared}</p>`)
    expect(text).toContain('95% interval: 75% to 100%')
    const csv = await open(`${pathOf(link)}/results.csv`)
    expect(csv.text.split('\r\n')).toEqual([
      'poll,title,option,label,votes,share,low,high,verdict',
      `${poll.slug},'=1+1,A,Tea,12,1,0.7575,1,leading`,
      `${poll.slug},'=1+1,B,Coffee,0,0,0,0.2425,`,
      '',
    ])
    const [head, ...points] = (await open(`${pathOf(link)}/timeline.csv`)).text.trim().split('\r\n')
    expect(head).toBe('at,optionA,optionB')
    expect(points.reduce((sum, line) => sum + Number(line.split(',')[1]), 0)).toBe(12)
    for (const [query, width] of [
      ['', 1920],
      ['?shape=square&lang=ar', 1080],
    ] as const) {
      for (const [path, ask] of [
        [`${pathOf(link)}/results.png`, { headers: newNetwork() }],
        [
          `/api/rest/v1/brands/me/polls/${poll.slug}/results.png`,
          { headers: { Authorization: `Bearer ${brand.token}` } },
        ],
      ] as const) {
        const answer = await fetch(service.service.url + path + query, ask)
        expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
        const { width: drawn, height, format } = await new Bun.Image(await answer.bytes()).metadata()
        expect([drawn, height, format]).toEqual([width, 1080, 'png'])
      }
    }
  })

  test('say who leads a vote by codes, which is a whole count, and call equal counts a tie', async () => {
    const { codeListId } = await createCodeList(service, brand, 'Members')
    const poll = await service.createPoll(brand, { codeListId, optionA: { label: 'Tea' } })
    const link = await newLink(pollLinks(poll))
    const codes = await issueCodes(service, brand, { codeListId, count: 2 })
    const { tie, tooClose, wholeCount, notEverybody } = WORDS.en.results
    for (const [i, call] of ['<bdi>Tea</bdi> is ahead', tie].entries()) {
      const option = i === 0 ? 'A' : 'B'
      await voteByCode(service, poll, { code: codes[i] ?? '', device: randomUUID(), option })
      const { text } = await open(pathOf(link))
      expect(text).toContain(call)
      expect(text).toContain(wholeCount)
      for (const other of [tooClose, notEverybody, '95% interval']) expect(text).not.toContain(other)
    }
  })

  const vote = async (poll: PollData, options: string, fields: object = {}) => {
    for (const option of options)
      await service.post(`polls/${poll.slug}/votes`, { device: randomUUID(), json: { option, ...fields } })
  }
  const view = async (poll: PollData, count: number, query: string) => {
    for (let i = 0; i < count; i++) await service.post(`polls/${poll.slug}/views?${query}`, { headers: newNetwork() })
    service.clock.advance(MINUTE)
    await service.runDue()
  }
  const declare = (name: string) =>
    service.write('POST', 'brands/me/source-names', { token: brand.token, json: { name } })
  const table = (text: string, section: string) =>
    (text.split(section)[1]?.split('</section>')[0] ?? '')
      .replace(/<\/?bdi>/g, '')
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')

  test('show where votes came from, without shares of few votes, and nothing where no source has enough', async () => {
    const poll = await service.createPoll(brand, { optionA: { label: '<Tea>' } })
    const link = await newLink(pollLinks(poll))
    const show = async () => (await open(pathOf(link))).text
    for (const name of ['poster', 'quiet']) await declare(name)
    await vote(poll, 'AAAAAAABB', { source: 'poster' })
    await vote(poll, 'AB', { source: 'quiet' })
    await view(poll, 20, 'source=poster')
    expect(await show()).not.toContain('class="sources"')
    expect(await show()).not.toContain('sources.csv')
    await vote(poll, 'A', { source: 'poster' })
    service.clock.advance(MINUTE)
    const text = await show()
    expect(text).not.toContain('<Tea>')
    expect(table(text, '<section class="sources">')).toBe(
      ' Where votes came from Source Views Votes Votes per view &lt;Tea&gt; poster 20 10 50% 80% 49%–94% Other 0 2 – – Sources with fewer than 10 votes are part of “Other”. ',
    )
    expect(text).not.toContain('quiet')
    const csv = await open(`${pathOf(link)}/sources.csv`)
    expect(csv.text.split('\r\n')).toEqual([
      'source,views,votes,rate,share,low,high',
      'poster,20,10,0.5,0.8,0.4902,0.9433',
      'other,0,2,,,,',
      '',
    ])
  })

  test('of a campaign compare two of its shown steps, unless a group is small, and show its own sources', async () => {
    const polls = [
      await service.createPoll(brand, { title: 'Drink?', resultsVisibility: 'never' }),
      await service.createPoll(brand, { title: 'Seat?', optionA: { label: '<Window>' }, optionB: { label: 'Aisle' } }),
    ] as const
    const [drink, seat] = polls
    const foreign = await service.createPoll(brand)
    const draft = await service.createPoll(brand, { isDraft: true })
    const campaign = await createCampaign(service, brand, [...polls, draft])
    await declare('poster')
    const both = async (drinks: string, seats: string) => {
      const device = randomUUID()
      const fields = { campaign: campaign.campaignId, source: 'poster' }
      await service.post(`polls/${drink.slug}/votes`, { device, json: { option: drinks, ...fields } })
      await service.post(`polls/${seat.slug}/votes`, { device, json: { option: seats, ...fields } })
    }
    const groups = { AA: 15, AB: 10, BA: 9, BB: 15 }
    for (const [name, count] of Object.entries(groups))
      for (let i = 0; i < count; i++) await both(name[0] ?? '', name[1] ?? '')
    const link = await newLink(campaignLinks(campaign))
    const show = async (rows: string, columns: string, more = '') =>
      (await open(`${pathOf(link)}?rows=${rows}&columns=${columns}${more}`)).text
    const part = async (rows: string, columns: string) =>
      table(await show(rows, columns), 'id="crosstab">').split('Compare')[1]
    expect(await part(drink.slug, seat.slug)).toBe(` Drink? · Seat? ${WORDS.en.results.withheld} `)
    await both('B', 'A')
    expect(await part(drink.slug, seat.slug)).toContain(WORDS.en.results.withheld)
    service.clock.advance(MINUTE)
    expect(await part(drink.slug, seat.slug)).toBe(
      ' Drink? · Seat? Of those who chose Tea, 60% chose &lt;Window&gt;; of the others, 40% did. Difference: +20 points (-7.2 to +43.5) Drink? &lt;Window&gt; Aisle Tea 60% 15 40% 10 Coffee 40% 10 60% 15 50 respondents answered both polls. A link between two answers is no cause. ',
    )
    expect(await part(seat.slug, drink.slug)).toContain('Aisle 40% 10 60% 15')
    for (const [rows, columns] of [
      [drink.slug, drink.slug],
      [drink.slug, foreign.slug],
      [draft.slug, seat.slug],
      ['', '%00'],
      ['<script>', `${seat.slug}&columns=${drink.slug}`],
    ] as const)
      expect(await part(rows, columns)).toBe(' ')
    const page = await open(`${pathOf(link)}?rows=${seat.slug}&columns=${drink.slug}&lang=ar&theme=dark`)
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self'")
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    const section = page.text.split('id="crosstab">')[1]
    for (const [name, value] of [
      ['theme', 'dark'],
      ['lang', 'ar'],
    ])
      expect(section).toContain(`<input type="hidden" name="${name}" value="${value}">`)
    expect(section).toContain(`<option value="${seat.slug}" dir="auto" selected>`)
    expect(page.text).not.toMatch(/\{\w+\}|<Window>/)
    expect(table(page.text, '<section class="sources">')).toContain('poster 0 100 – ')
    expect((await open(`${pathOf(link)}/sources.csv`)).text).toContain('poster,0,100,,,,')
    const hidden = await service.get(`campaigns/${campaign.campaignId}`)
    expect(hidden.body.data).toMatchObject({ polsts: [{ tallies: { total: 0 } }, { tallies: { total: 50 } }] })
  })

  test('of a campaign show the steps that visitors see, and the funnel', async () => {
    const [one, two] = [await votedPoll({ title: 'First step?' }), await votedPoll({ title: 'Second step?' })]
    const draft = await service.createPoll(brand, { title: 'Unpublished?', isDraft: true })
    const campaign = await createCampaign(service, brand, [one, two, draft])
    const link = await newLink(campaignLinks(campaign))
    expect(await listed(campaignLinks(campaign))).toEqual([link.linkId])
    const { text } = await open(pathOf(link))
    expect(text.indexOf('First step?')).toBeLessThan(text.indexOf('Second step?'))
    expect(text).not.toContain('Unpublished?')
    // Votes from outside of the campaign make no funnel, and no poll leads whose meaning could be told.
    expect(text).not.toContain(WORDS.en.results.funnel)
    expect(text).not.toContain(WORDS.en.results.leadingMeans)
    const devices = [randomUUID(), randomUUID(), randomUUID()]
    const within = (poll: PollData, device: string) =>
      service.post(`polls/${poll.slug}/votes`, { device, json: { option: 'A', campaign: campaign.campaignId } })
    for (const device of devices) expect((await within(one, device)).status).toBe(201)
    expect((await within(two, devices[0] ?? '')).status).toBe(201)
    service.clock.advance(SOON + 1_000)
    const walked = (await open(pathOf(link))).text
    const funnel = walked.slice(walked.indexOf(`<h2>${WORDS.en.results.funnel}`))
    expect([...funnel.matchAll(/<b>(\d+)<\/b>/g)].map(([, value]) => value)).toEqual(['3', '3', '1', '1'])
    expect(funnel).toContain(WORDS.en.results.funnelText)
    const csv = (await open(`${pathOf(link)}/results.csv`)).text
    expect(csv.trim().split('\r\n')).toHaveLength(5)
    expect((await open(`${pathOf(link)}/timeline.csv`)).status).toBe(404)
    const statuses = [two.slug, draft.slug, randomUUID()].map(
      async (slug) => (await open(`${pathOf(link)}/results.png?poll=${slug}`)).status,
    )
    expect(await Promise.all(statuses)).toEqual([200, 404, 404])
    expect(
      (await service.write('DELETE', `${campaignLinks(campaign)}/${link.linkId}`, { token: brand.token })).status,
    ).toBe(204)
    expect(await statusOf(link)).toBe(404)
  })
})
