import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { SCOPES, SCOPES_OF_ROLE, type Scope } from '../src/base/roles.ts'
import { startSession } from '../src/features/people/sessions/sessions.ts'
import { fullPath, type Route } from '../src/http/route.ts'
import { sampleEngines } from './engines.ts'
import { newNetwork } from './network.ts'
import { addMember, pageWith } from './people.ts'
import { type Sample, Scene, successOf } from './scene.ts'
import { type Ask, keyHeaders } from './service.ts'

setDefaultTimeout(300_000)

/**
 * The callers of a route. `page`: anybody on a page of the service; `session`: a person who is signed in there; `key`: an app by
 * its key; `device`: a device, or any token; a scope: a token with it, and for `vote` a device too; `brand`: a token of a
 * brand; `sharing`: a token with `manage` and `analytics`; `person`: a member's token; `owner`: that of an owner; `operator`:
 * the session of an operator; `agent`: a token of an agent.
 */
type Access =
  | 'anybody'
  | 'page'
  | 'session'
  | 'operator'
  | 'key'
  | 'device'
  | 'brand'
  | 'person'
  | 'owner'
  | 'agent'
  | 'sharing'
  | Scope

/** Written by hand, so that a route whose guard is changed by mistake differs. A route that is not here fails the test. */
const ACCESS: Readonly<Record<Access, string>> = {
  anybody: `getProtectedResource getProtectedResourceAtRoot getAuthorizationServer authorizeAgent issueAgentTokens revokeAgentToken countView refreshTokens revokeTokens requestLink getBrand getTheme getStylesheet getPoll getTallies listPublicPolls
    listCategories streamTallies streamManyTallies getCampaign getCampaignTallies listPublicCampaigns uploadFile getFile getEmbedScript getResultsPage getResultsPicture getResultsFile getResultsTimeline getResultsSources
    getEmbedFont getEmbedPart getEmbedSolver getEmbedStyles getEmbedWords getPollCalendar getPollCard getCampaignCard getBrandCard getBrandAtomFeed getPollCode getCampaignCode
    getBrandCode getPollCodePicture getCampaignCodePicture getBrandCodePicture getPollCodePage getCampaignCodePage getBrandCodePage getOEmbed getRobots getSitemapIndex getSitemap getPollStage getCampaignStage getStageScript getPollCheck getCheckScript getPollPage getPollFrame getCampaignPage getCampaignFrame
    getBrandPage getBrandFrame getJoinPage getMailStop stopMails getConsole getConsoleWithSlash getConsoleOfBrand getConsolePage getConsoleItem getConsolePart
     getConsoleScript getConsoleStyles beginOidc finishOidc getWelcome isAlive isReady getOpenApi
     getDocs getDoc getDirectory getReference getReferencePage getDocsFile getDocsPicture getFavicon getFaviconBitmap
    getPollLog getLogCheckpoint getLogTile getLogBundle`,
  page: 'signIn challengePasskey signInWithPasskey',
  session: `getSession signOut issueSessionToken listSessions endSession beginPasskey createPasskey listPasskeys
    updatePasskey deletePasskey readAgentRequest allowAgent`,
  operator: 'getService listServedBrands',
  key: 'issueTokens',
  device: 'getOwnVote getOwnReceipt getProgress',
  vote: 'castVote forgetGuest',
  view: '',
  brand: 'getOwnBrand getOwnTheme',
  manage: `listEvents listActivity updateBrand updateTheme listOwnPolls createPoll getOwnPoll getPollPreview getPollEmail updatePoll deletePoll listOwnCampaigns createCampaign
    getOwnCampaign updateCampaign deleteCampaign createPollImageTicket createThemeAssetTicket listWebhooks createWebhook
    getWebhook updateWebhook deleteWebhook rotateWebhookSecret testWebhook listWebhookDeliveries redeliverWebhookDelivery listSourceNames createSourceName
    deleteSourceName listCodeLists createCodeList getCodeList updateCodeList deleteCodeList issueCodes revokeCodes`,
  analytics:
    'getSummary listResults getFunnel getCrosstab getInsight listResponses listVoters getTimeline getIntegrity getPollResultsPicture getPollSources getBrandSources getCampaignSources getOwnPollLog',
  sharing: `listPollResultsLinks createPollResultsLink deletePollResultsLink listCampaignResultsLinks createCampaignResultsLink
    deleteCampaignResultsLink`,
  agent: 'callMcp',
  person: 'listAgents endAgent listMembers getMailPreferences updateMailPreferences',
  owner:
    'listApps createApp updateApp revokeApp rotateAppSecret updateMember removeMember listInvitations createInvitation deleteInvitation',
}

const accessOf = new Map(
  Object.entries(ACCESS).flatMap(([access, names]) =>
    names
      .split(/\s+/)
      .filter((name) => name !== '')
      .map((name) => [name, access as Access] as const),
  ),
)

interface Caller {
  readonly name: string
  readonly ask: Ask
  readonly scopes: readonly Scope[]
  readonly kind: 'nobody' | 'device' | 'app' | 'member' | 'agent' | 'dead'
  readonly isOwner?: boolean
  /** The caller's brand does not own the resources of the request. */
  readonly isForeign?: boolean
  /** Sends cookies from a page of the service. */
  readonly hasPage?: boolean
  readonly isOperator?: boolean
}

const OPERATOR = 'page of an operator'

/** The refusal by the guard of the route; null if it lets the caller in. */
function refusalOf(access: Access, caller: Caller): string | null {
  const { hasPage = false, isOperator = false } = caller
  switch (access) {
    case 'anybody':
      return null
    case 'page':
      return hasPage ? null : '403 CROSS_ORIGIN'
    case 'session':
      return hasPage ? null : '401 UNAUTHORIZED'
    case 'operator':
      if (!hasPage) return '401 UNAUTHORIZED'
      return isOperator ? null : '403 ROLE_REQUIRED'
    case 'agent':
      return caller.kind === 'agent' ? null : '401 -32000'
    case 'key':
      return '401 INVALID_API_KEY'
    default:
      return refusalOfToken(access, caller)
  }
}

type TokenAccess = Exclude<Access, 'anybody' | 'page' | 'session' | 'operator' | 'key' | 'agent'>

const holds = (scopes: readonly Scope[], access: Scope | 'sharing'): boolean =>
  (access === 'sharing' ? (['manage', 'analytics'] as const) : [access]).every((scope) => scopes.includes(scope))

function refusalOfToken(access: TokenAccess, { kind, scopes, isOwner = false }: Caller): string | null {
  const takesDevices = access === 'device' || access === 'vote'
  if (kind === 'device' && takesDevices) return null
  if (kind !== 'app' && kind !== 'member') return '401 UNAUTHORIZED'
  if (access === 'device' || access === 'brand') return null
  if (access !== 'person' && access !== 'owner') return holds(scopes, access) ? null : '403 SCOPE_REQUIRED'
  if (kind !== 'member') return '403 MEMBER_REQUIRED'
  return access === 'owner' && !isOwner ? '403 ROLE_REQUIRED' : null
}

/** True where the request names a resource of the scene's brand. */
const namesOwned = ({ spec }: Route): boolean => /^\/brands\/me\/.*\{/.test(spec.path)

/** True where the caller sees nothing of what the request names. Members end their own agents alone: that of the scene is an owner's. */
const isOfOthers = (route: Route, { isForeign, isOwner }: Caller): boolean =>
  (isForeign === true && namesOwned(route)) || (route.spec.name === 'endAgent' && !isOwner)

const withoutCredentials = ({ token: _, device: __, ...ask }: Ask): Ask => ask

describe.each([...sampleEngines])('%s: every route by every kind of caller', (engine) => {
  let scene: Scene
  let callers: Caller[]
  beforeAll(async () => {
    scene = await Scene.open(engine)
    callers = await openCallers()
  })
  afterAll(() => scene.service.stop())

  async function openCallers(): Promise<Caller[]> {
    const { service, brand, stranger, owner, operator } = scene
    const apps = SCOPES.map(async (scope): Promise<Caller> => {
      const { accessToken } = await service.exchange(await service.createApp(brand.brandKey, [scope]))
      return { name: `app with ${scope}`, kind: 'app', scopes: [scope], ask: { token: accessToken } }
    })
    const people = (['editor', 'analyst'] as const).map(async (role): Promise<Caller> => {
      const { token } = await addMember(service, brand, role)
      return { name: role, kind: 'member', scopes: SCOPES_OF_ROLE[role], ask: { token } }
    })
    const removed = await addMember(service, brand, 'owner')
    await service.db.deleteFrom('members').where('person_key', '=', removed.personKey).execute()
    const foreign = await addMember(service, stranger, 'owner')
    const all = { kind: 'member', scopes: SCOPES, isOwner: true } as const
    return [
      { name: 'nobody', kind: 'nobody', scopes: [], ask: {} },
      { name: 'device', kind: 'device', scopes: [], ask: { device: randomUUID() } },
      ...(await Promise.all([...apps, ...people])),
      { name: 'owner', ...all, ask: { token: owner.token } },
      { name: 'removed owner', kind: 'dead', scopes: [], ask: { token: removed.token } },
      { name: 'owner of another brand', ...all, isForeign: true, ask: { token: foreign.token } },
      { name: 'agent of an owner', kind: 'agent', scopes: [], ask: { token: scene.agentToken } },
      { name: 'page', kind: 'nobody', scopes: [], hasPage: true, ask: { headers: owner.page } },
      { name: OPERATOR, kind: 'nobody', scopes: [], hasPage: true, isOperator: true, ask: { headers: operator.page } },
      { name: 'page of another origin', kind: 'nobody', scopes: [], ask: { headers: crossSite(owner.page) } },
    ]
  }

  const crossSite = (page: Record<string, string>) => ({ ...page, 'Sec-Fetch-Site': 'cross-site' })

  /** Signing in and out ends the session of the request, which later requests of the table need. */
  const endsSession = ({ spec }: Route) => accessOf.get(spec.name) === 'page' || spec.name === 'signOut'

  async function newCookie(): Promise<string> {
    const { service, owner } = scene
    const secret = await startSession(service.deps, service.db, { personKey: owner.personKey, userAgent: null })
    return pageWith(service, secret)['Cookie'] ?? ''
  }

  async function said(route: Route, { ask: { headers, ...credentials } }: Caller, sample: Sample): Promise<string> {
    const { path, ask } = sample
    const key = route.kind === 'once' ? { key: randomUUID() } : {}
    const page = headers && endsSession(route) ? { ...headers, Cookie: await newCookie() } : headers
    const asked = {
      ...withoutCredentials(ask),
      ...credentials,
      ...key,
      headers: { ...ask.headers, ...newNetwork(), ...page },
    }
    const { status, body } = await scene.send(route, { path, ask: asked })
    return `${status} ${body.error?.code ?? 'fine'}`
  }

  function expected(route: Route, caller: Caller): string[] {
    const access = accessOf.get(route.spec.name)
    if (!access) return [`an entry for ${route.spec.name} in ACCESS`]
    const refusal = refusalOf(access, caller)
    // A foreign page with a session's cookie is refused for its origin.
    if (caller.name === 'page of another origin' && ['session', 'operator'].includes(access))
      return ['403 CROSS_ORIGIN']
    if (refusal) return [refusal]
    if (isOfOthers(route, caller)) return ['404 NOT_FOUND']
    // The body of this request names a poll of the scene's brand.
    if (caller.isForeign && route.spec.name === 'createCampaign') return ['400 INVALID_POLST_OWNERSHIP']
    // Reads of a device that has not voted yet.
    if (access === 'device') return [`${successOf(route)} fine`, '404 NOT_FOUND']
    return [`${successOf(route)} fine`]
  }

  /** The resources of other routes belong to the person of the scene. */
  const callersOf = ({ spec }: Route) =>
    callers.filter(({ name }) => name !== OPERATOR || accessOf.get(spec.name) === 'operator')

  test('has a place in the table, and the table names no others', () => {
    const names = scene.routes.map(({ spec }) => spec.name)
    expect([...accessOf.keys()].sort()).toEqual([...names].sort())
    expect(new Set(scene.routes.map(({ spec }) => `${spec.method} ${fullPath(spec)}`)).size).toBe(names.length)
  })

  test('is let in or refused as the table says', async () => {
    const wrong: string[] = []
    for (const route of scene.routes) {
      const unused = await scene.bare(route)
      for (const caller of callersOf(route)) {
        const wanted = expected(route, caller)
        // A refused request and a read use nothing up.
        const isKept = route.spec.method === 'GET' || wanted.every((verdict) => /^40[134] /.test(verdict))
        const answer = await said(route, caller, isKept ? unused : await scene.bare(route))
        if (!wanted.includes(answer)) wrong.push(`${route.spec.name} by ${caller.name}: ${answer}, not ${wanted}`)
      }
    }
    expect(wrong).toEqual([])
  })

  test('is let in by an app with its key, where that is the credential', async () => {
    for (const route of scene.routes.filter(({ spec }) => accessOf.get(spec.name) === 'key')) {
      const { path, ask } = await scene.bare(route)
      const headers = { ...ask.headers, ...keyHeaders(scene.brand) }
      expect((await scene.send(route, { path, ask: { ...ask, headers } })).status).toBe(200)
    }
  })
})
