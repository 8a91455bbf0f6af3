import { expect, test } from 'bun:test'
import { Tossup } from '../src/index.ts'
import { type OpenApi, operationsOf } from '../tools/types-of-openapi.ts'
import { type Recorded, record } from './recorder.ts'

const document: OpenApi = await Bun.file(new URL('../../server/openapi.json', import.meta.url)).json()
/** Sessions and the operator's views are for the pages of the service. */
const isForBrowsers = (path: string): boolean => /^\/(auth\/(links|sessions?|passkeys|agents)|service)(\/|$)/.test(path)
/** The library takes the stream of several polls for one poll too. */
const isOfOnePoll = (path: string): boolean => path === '/polls/{slug}/tallies/stream'
const operations = operationsOf(document.paths)
  .map((each) => ({ ...each, path: each.key.split(' ')[1] ?? '' }))
  .filter(({ path }) => !isForBrowsers(path) && !isOfOnePoll(path))

const URL_OF_SERVICE = 'https://polls.example.com'
const WORDS = {
  slug: 'a slug',
  brandSlug: 'brand',
  campaignId: 'c1',
  id: 'w1',
  deliveryId: 'd1',
  memberId: 'm1',
  invitationId: 'i1',
  appId: 'a1',
  agentId: 'g1',
  name: 'newsletter',
  linkId: 'l1',
  codeListId: 'cl1',
}
const OPTIONS = { label: 'x' }

/** Each operation, called once. */
const calls: Record<string, (tossup: Tossup) => unknown> = {
  issueTokens: (t) => t.issueTokens({ externalDeviceId: 'somebody' }),
  refreshTokens: (t) => t.refreshTokens('r'),
  revokeTokens: (t) => t.revokeTokens('r'),
  getBrand: (t) => t.getBrand(WORDS.brandSlug),
  getTheme: (t) => t.getTheme(WORDS.brandSlug),
  getOwnBrand: (t) => t.getOwnBrand(),
  updateBrand: (t) => t.updateBrand({ name: 'x' }),
  listMembers: (t) => t.listMembers().page(),
  updateMember: (t) => t.updateMember(WORDS.memberId, { role: 'editor' }),
  getMailPreferences: (t) => t.getMailPreferences(),
  updateMailPreferences: (t) => t.updateMailPreferences({ pollClosed: true }),
  removeMember: (t) => t.removeMember(WORDS.memberId),
  createInvitation: (t) => t.createInvitation({ email: 'ada@example.com', role: 'editor' }),
  deleteInvitation: (t) => t.deleteInvitation(WORDS.invitationId),
  listInvitations: (t) => t.listInvitations().page(),
  getOwnTheme: (t) => t.getOwnTheme(),
  updateTheme: (t) => t.updateTheme({ radius: 'SM' }),
  getPoll: (t) => t.getPoll(WORDS.slug),
  getTallies: (t) => t.getTallies(WORDS.slug),
  getPollLog: (t) => t.getPollLog(WORDS.slug),
  listPublicPolls: (t) => t.listPublicPolls(WORDS.brandSlug, { order: 'popular' }).page(),
  listCategories: (t) => t.listCategories(),
  streamManyTallies: (t) => t.watchTallies([WORDS.slug, 'another']).next(),
  getCampaign: (t) => t.getCampaign(WORDS.campaignId),
  getCampaignTallies: (t) => t.getCampaignTallies(WORDS.campaignId),
  listPublicCampaigns: (t) => t.listPublicCampaigns(WORDS.brandSlug).page(),
  castVote: (t) => t.castVote(WORDS.slug, 'A'),
  getOwnVote: (t) => t.getOwnVote(WORDS.slug),
  getOwnReceipt: (t) => t.getOwnReceipt(WORDS.slug),
  getProgress: (t) => t.getProgress(WORDS.campaignId),
  forgetGuest: (t) => t.forgetGuest(),
  listOwnPolls: (t) => t.listOwnPolls({ isDraft: true, q: 'a & b' }).page(),
  createPoll: (t) => t.createPoll({ title: 'x', optionA: OPTIONS, optionB: OPTIONS }),
  getOwnPoll: (t) => t.getOwnPoll(WORDS.slug),
  getPollPreview: (t) => t.getPollPreview(WORDS.slug),
  getOwnPollLog: (t) => t.getOwnPollLog(WORDS.slug),
  updatePoll: (t) => t.updatePoll(WORDS.slug, { title: 'y' }),
  deletePoll: (t) => t.deletePoll(WORDS.slug),
  listOwnCampaigns: (t) => t.listOwnCampaigns().page(),
  createCampaign: (t) => t.createCampaign({ title: 'x', polstIds: ['p'] }),
  getOwnCampaign: (t) => t.getOwnCampaign(WORDS.campaignId),
  updateCampaign: (t) => t.updateCampaign(WORDS.campaignId, { title: 'y' }),
  deleteCampaign: (t) => t.deleteCampaign(WORDS.campaignId),
  getFunnel: (t) => t.getFunnel(WORDS.campaignId),
  getCrosstab: (t) => t.getCrosstab(WORDS.campaignId, { rows: WORDS.slug, columns: 'jam-or-honey' }),
  getInsight: (t) => t.getInsight(WORDS.slug),
  listResponses: (t) => t.listResponses(WORDS.campaignId).page(),
  getPollResultsPicture: (t) => t.getPollResultsPicture(WORDS.slug, { shape: 'square' }),
  listPollResultsLinks: (t) => t.listPollResultsLinks(WORDS.slug).page(),
  createPollResultsLink: (t) => t.createPollResultsLink(WORDS.slug, { expiresAt: null }),
  deletePollResultsLink: (t) => t.deletePollResultsLink(WORDS.slug, WORDS.linkId),
  listCampaignResultsLinks: (t) => t.listCampaignResultsLinks(WORDS.campaignId).page(),
  createCampaignResultsLink: (t) => t.createCampaignResultsLink(WORDS.campaignId),
  deleteCampaignResultsLink: (t) => t.deleteCampaignResultsLink(WORDS.campaignId, WORDS.linkId),
  createPollImageTicket: (t) => t.createPollImageTicket(WORDS.slug, { slot: 'optionA', contentType: 'image/png' }),
  createThemeAssetTicket: (t) => t.createThemeAssetTicket({ slot: 'favicon', contentType: 'image/png', byteSize: 1 }),
  listVoters: (t) => t.listVoters(WORDS.slug).page(),
  getIntegrity: (t) => t.getIntegrity(WORDS.slug, { from: '2026-01-31T00:00:00Z' }),
  listResults: (t) => t.listResults().page(),
  getSummary: (t) => t.getSummary({ days: 7 }),
  getTimeline: (t) => t.getTimeline(WORDS.slug, { bucket: 'day' }),
  listSourceNames: (t) => t.listSourceNames(),
  createSourceName: (t) => t.createSourceName({ name: WORDS.name }),
  deleteSourceName: (t) => t.deleteSourceName(WORDS.name),
  listCodeLists: (t) => t.listCodeLists().page(),
  createCodeList: (t) => t.createCodeList({ name: 'Members' }),
  getCodeList: (t) => t.getCodeList(WORDS.codeListId),
  updateCodeList: (t) => t.updateCodeList(WORDS.codeListId, { name: 'Guests' }),
  deleteCodeList: (t) => t.deleteCodeList(WORDS.codeListId),
  issueCodes: (t) => t.issueCodes(WORDS.codeListId, { count: 30 }),
  revokeCodes: (t) => t.revokeCodes(WORDS.codeListId, { codes: ['K7QM-2F8X-9RTA'] }),
  getPollSources: (t) => t.getPollSources(WORDS.slug, { to: '2026-02-01T00:00:00Z' }),
  getBrandSources: (t) => t.getBrandSources({ from: '2026-01-31T00:00:00Z' }),
  getCampaignSources: (t) => t.getCampaignSources(WORDS.campaignId),
  countView: (t) => t.countView(WORDS.slug, { source: WORDS.name }),
  getPollEmail: (t) => t.getPollEmail(WORDS.slug, { source: 'newsletter' }),
  listEvents: (t) => t.listEvents({ types: 'poll.closed' }).page(),
  listActivity: (t) => t.listActivity({ action: 'poll.updated' }).page(),
  listAgents: (t) => t.listAgents().page(),
  endAgent: (t) => t.endAgent(WORDS.agentId),
  listApps: (t) => t.listApps().page(),
  createApp: (t) => t.createApp({ name: 'x', scopes: ['view'] }),
  updateApp: (t) => t.updateApp(WORDS.appId, { name: 'y' }),
  revokeApp: (t) => t.revokeApp(WORDS.appId),
  rotateAppSecret: (t) => t.rotateAppSecret(WORDS.appId, { overlapSeconds: 60 }),
  listWebhooks: (t) => t.listWebhooks().page(),
  createWebhook: (t) => t.createWebhook({ url: 'https://example.com', events: ['poll.voted'] }),
  getWebhook: (t) => t.getWebhook(WORDS.id),
  updateWebhook: (t) => t.updateWebhook(WORDS.id, { status: 'ACTIVE' }),
  deleteWebhook: (t) => t.deleteWebhook(WORDS.id),
  rotateWebhookSecret: (t) => t.rotateWebhookSecret(WORDS.id),
  testWebhook: (t) => t.testWebhook(WORDS.id),
  listWebhookDeliveries: (t) => t.listWebhookDeliveries(WORDS.id).page(),
  redeliverWebhookDelivery: (t) => t.redeliverWebhookDelivery(WORDS.id, WORDS.deliveryId),
}

function newRecorder() {
  return record(({ path }) => {
    if (!path.includes('/stream?polls=')) return Response.json({ data: [], nextCursor: null, hasMore: false })
    const event = 'id: 1\nevent: tallies\ndata: {"slug":"s","updatedAt":"2026-01-01T00:00:00.000Z"}\n\n'
    return new Response(event, { headers: { 'Content-Type': 'text/event-stream' } })
  })
}

async function sent(name: string): Promise<Recorded> {
  const { fetch, requests } = newRecorder()
  const auth = { apiKeyId: 'tai_x', apiKeySecret: 'secret', externalDeviceId: 'me' }
  const tossup = new Tossup({ url: `${URL_OF_SERVICE}/`, fetch, auth })
  await calls[name]?.(tossup)
  const request = requests.at(-1)
  if (!request) throw new Error(`${name} sent nothing`)
  return request
}

test('every operation of openapi.json has a method, and there is no other', () => {
  expect(Object.keys(calls).sort()).toEqual(operations.map(({ operation }) => operation.operationId).sort())
  // One method has a name of its own, because it returns more than the operation.
  const names = Object.keys(calls).map((name) => (name === 'streamManyTallies' ? 'watchTallies' : name))
  const methods = new Set<string>()
  for (let type = Tossup.prototype; type !== Object.prototype; type = Object.getPrototypeOf(type)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(type))) {
      if (typeof value === 'function') methods.add(name)
    }
  }
  const own = ['constructor', 'list', 'url', 'voter', 'knownCaller', 'owner', 'read', 'write', 'export', 'stream']
  expect([...methods].filter((name) => !own.includes(name)).sort()).toEqual(
    [...names, 'exportActivity', 'exportResponses', 'exportResults', 'exportVoters', 'uploadFile'].sort(),
  )
})

test.each(operations.map((one) => [one.operation.operationId, one] as const))(
  '%s sends what its operation says',
  async (name, { key, operation }) => {
    const request = await sent(name)
    const [method = '', template = ''] = key.split(' ')
    const path = template.replace(/\{(\w+)\}/g, (_, word: keyof typeof WORDS) => encodeURIComponent(WORDS[word]))
    expect(request.method).toBe(method)
    expect(request.path.split('?')[0]).toBe(`/api/rest/v1${path}`)
    const wanted = operation as { security?: Record<string, unknown>[]; requestBody?: unknown }
    const parameters = (operation.parameters ?? []) as readonly { name: string; in: string; required: boolean }[]
    for (const { name: header } of parameters.filter((one) => one.in === 'header' && one.required)) {
      expect(request.headers.get(header)).toMatch(/^[A-Za-z0-9._~-]{8,128}$/)
    }
    const isOwners = wanted.security?.some((one) => 'bearer' in one) ?? false
    expect(request.headers.has('authorization')).toBe(isOwners)
    expect(request.body !== undefined).toBe(wanted.requestBody !== undefined)
  },
)

test('a query is encoded correctly, and undefined parameters are left out', async () => {
  expect((await sent('listOwnPolls')).path).toBe('/api/rest/v1/brands/me/polls?isDraft=true&q=a%20%26%20b')
})

test('public reads send no header, so that a browser needs no preflight', async () => {
  for (const name of ['getPoll', 'getTallies', 'listPublicPolls', 'getCampaign', 'getBrand', 'streamManyTallies']) {
    expect([name, [...(await sent(name)).headers.keys()]]).toEqual([name, []])
  }
})
