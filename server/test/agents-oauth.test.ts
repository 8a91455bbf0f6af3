import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createHash, randomUUID } from 'node:crypto'
import { hostname, networkInterfaces } from 'node:os'
import { DAY, SECOND } from '../src/base/clock.ts'
import { transaction } from '../src/db/transaction.ts'
import { deleteBrand } from '../src/features/operator/delete-brand.ts'
import { isReserved } from '../src/features/webhooks/sending/target/url.ts'
import {
  AGENT_SETTINGS,
  agentTokens,
  allow,
  authorized,
  authorizeQuery,
  callTool,
  codeForm,
  newVerifier,
  sendForm,
  sendMcp,
} from './agents.ts'
import { CALLBACK, ClientSite } from './client-site.ts'
import { engines } from './engines.ts'
import { addMember, type TestMember } from './people.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'

setDefaultTimeout(60_000)

describe.each(engines)('%s: the authorization of agents', (engine) => {
  let service: TestService
  let brand: TestBrand
  let owner: TestMember
  let site: ClientSite
  let clientId: string
  beforeAll(async () => {
    service = await startTestService(engine, { settings: AGENT_SETTINGS })
    brand = await service.createBrand()
    owner = await addMember(service, brand, 'owner')
    site = new ClientSite()
    clientId = site.add()
  })
  // Tests move the clock beyond the life of sessions.
  beforeEach(async () => {
    owner = await addMember(service, brand, 'owner')
  })
  afterAll(async () => {
    site.stop()
    await service.stop()
  })

  const look = (query: string, page = owner.page) =>
    service.post<Record<string, string | null>>('auth/agents/request', { headers: page, json: { query } })
  const fieldsOf = ({ body }: { body: { error: { details: Record<string, unknown> } } }) =>
    (body.error.details['fields'] as { path: string; code: string }[]).map(({ path, code }) => `${path} ${code}`)
  const publicUrl = () => service.deps.config.publicUrl
  const tokensOf = (permissions?: string[]) =>
    agentTokens(service, brand, owner, { clientId, ...(permissions ? { permissions } : {}) })
  const refresh = (refresh_token: string, client_id = clientId) =>
    sendForm(service, '/oauth/token', { grant_type: 'refresh_token', refresh_token, client_id })
  const isAlive = async (token: string) => (await sendMcp(service, token, { method: 'server/discover' })).status === 200

  test('metadata names the parts, and a request without a token leads there', async () => {
    const { status, headers } = await sendMcp(service, null, { method: 'server/discover' })
    const address = `${publicUrl()}/.well-known/oauth-protected-resource/mcp`
    expect([status, headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer resource_metadata="${address}", scope="read draft"`,
    ])
    const { body: resource } = await service.get('/.well-known/oauth-protected-resource/mcp')
    expect(resource as unknown).toMatchObject({ resource: `${publicUrl()}/mcp`, authorization_servers: [publicUrl()] })
    const { body: server } = await service.get('/.well-known/oauth-authorization-server')
    expect(server as unknown).toMatchObject({
      issuer: publicUrl(),
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    })
    expect(server).not.toHaveProperty('registration_endpoint')
  })

  test('a person sees the agent, allows it, and it acts with its tokens', async () => {
    const query = authorizeQuery(service, { client_id: clientId })
    const to = await service.get(`/oauth/authorize?${query}`)
    expect([to.status, to.headers.get('location')]).toEqual([302, `/console/_agent#${query}`])
    const { body } = await look(query)
    expect(body.data).toEqual({
      name: 'Poll writer',
      host: site.host,
      leadsTo: '127.0.0.1:33418',
      refusalTo: `${CALLBACK}?error=access_denied&state=the-state&iss=${encodeURIComponent(publicUrl())}`,
    })
    const grant = await authorized(service, brand, owner, { clientId })
    expect(Object.fromEntries(grant.redirect.searchParams)).toEqual({
      code: expect.stringMatching(/^tgc_/),
      state: 'the-state',
      iss: publicUrl(),
    })
    const { status, json, headers } = await sendForm(service, '/oauth/token', codeForm(clientId, grant))
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(json).toEqual({
      access_token: expect.stringMatching(/^tga_/),
      refresh_token: expect.stringMatching(/^tgr_/),
      token_type: 'Bearer',
      expires_in: 900,
      scope: 'read draft',
    })
    expect(await isAlive(json.access_token)).toBe(true)
    expect(headers.get('access-control-allow-origin')).toBeNull()
  })

  test('a code works once, for a minute, and its reuse ends the tokens', async () => {
    const grant = await authorized(service, brand, owner, { clientId })
    const { json } = await sendForm(service, '/oauth/token', codeForm(clientId, grant))
    const again = await sendForm(service, '/oauth/token', codeForm(clientId, grant))
    expect([again.status, again.json.error]).toEqual([400, 'invalid_grant'])
    expect(await isAlive(json.access_token)).toBe(false)
    expect((await refresh(json.refresh_token)).status).toBe(400)

    const late = await authorized(service, brand, owner, { clientId })
    service.clock.advance(61 * SECOND)
    expect((await sendForm(service, '/oauth/token', codeForm(clientId, late))).json.error).toBe('invalid_grant')

    const raced = await authorized(service, brand, owner, { clientId })
    const both = await Promise.all([1, 2, 3].map(() => sendForm(service, '/oauth/token', codeForm(clientId, raced))))
    expect(both.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
    const won = both.find(({ status }) => status === 200)
    if (won) expect(await isAlive(won.json.access_token)).toBe(false)
  })

  test('a stolen code is worth nothing without its verifier, its client and its address', async () => {
    const grant = await authorized(service, brand, owner, { clientId })
    const form = codeForm(clientId, grant)
    const wrong = [
      { ...form, code_verifier: newVerifier() },
      { ...form, code_verifier: '' },
      // `plain`: the challenge itself.
      { ...form, code_verifier: createHash('sha256').update(grant.verifier).digest('base64url') },
      { ...form, client_id: site.add() },
      { ...form, redirect_uri: `${CALLBACK}/` },
      { ...form, redirect_uri: '' },
    ]
    for (const each of wrong) expect((await sendForm(service, '/oauth/token', each)).json.error).toBe('invalid_grant')
    const elsewhere = await sendForm(service, '/oauth/token', { ...form, resource: 'https://other.example/mcp' })
    expect(elsewhere.json.error).toBe('invalid_target')
    expect((await sendForm(service, '/oauth/token', form)).status).toBe(200)
  })

  test('requests that are not forms, repeat fields or ask for other grants get the errors of RFC 6749', async () => {
    const send = async (form: string, headers = {}) => {
      const { status, json } = await sendForm(service, '/oauth/token', form, headers)
      return [status, json.error]
    }
    expect(await send('grant_type=password&username=a&password=b')).toEqual([400, 'unsupported_grant_type'])
    expect(await send('grant_type=client_credentials')).toEqual([400, 'unsupported_grant_type'])
    expect(await send('')).toEqual([400, 'unsupported_grant_type'])
    expect(await send('code=a&code=b')).toEqual([400, 'invalid_request'])
    expect(await send('{}', { 'Content-Type': 'application/json' })).toEqual([415, 'invalid_request'])
    expect(await send(`code=${'x'.repeat(100_000)}`)).toEqual([413, 'invalid_request'])
  })

  test('a refresh token works once; a repeat at once gets the same pair, and later reuse ends the agent', async () => {
    const first = await tokensOf()
    const second = (await refresh(first.refresh_token)).json
    expect((await refresh(first.refresh_token)).json).toMatchObject({ access_token: second.access_token })
    expect((await refresh(second.refresh_token, site.add())).json.error).toBe('invalid_grant')
    const third = (await refresh(second.refresh_token)).json
    expect(await isAlive(third.access_token)).toBe(true)
    // The successor of the first one is used by now.
    expect((await refresh(first.refresh_token)).json.error).toBe('invalid_grant')
    expect(await isAlive(third.access_token)).toBe(false)
    expect((await refresh(third.refresh_token)).json.error).toBe('invalid_grant')
  })

  test('tokens end after 900 s, 30 days without a refresh, 90 days, and when they are revoked', async () => {
    service.clock.freeze()
    let tokens = await tokensOf()
    service.clock.advance(900 * SECOND - 1)
    expect(await isAlive(tokens.access_token)).toBe(true)
    service.clock.advance(1)
    expect(await isAlive(tokens.access_token)).toBe(false)
    service.clock.thaw()
    for (const days of [29, 29, 29]) {
      service.clock.advance(days * DAY)
      tokens = (await refresh(tokens.refresh_token)).json
      expect(await isAlive(tokens.access_token)).toBe(true)
    }
    service.clock.advance(4 * DAY)
    expect((await refresh(tokens.refresh_token)).status).toBe(400)
    owner = await addMember(service, brand, 'owner')
    const idle = await tokensOf()
    service.clock.advance(31 * DAY)
    expect((await refresh(idle.refresh_token)).status).toBe(400)
    owner = await addMember(service, brand, 'owner')
    const revoked = await tokensOf()
    expect(await sendForm(service, '/oauth/revoke', { token: revoked.refresh_token })).toMatchObject({ status: 200 })
    expect(await isAlive(revoked.access_token)).toBe(false)
    expect((await sendForm(service, '/oauth/revoke', { token: 'unknown' })).status).toBe(200)
    expect((await sendForm(service, '/oauth/revoke', {})).json).toMatchObject({ error: 'invalid_request' })
  })

  test('a token of an agent is refused everywhere else, and /mcp takes no other', async () => {
    const { access_token: token, refresh_token } = await tokensOf(['read', 'draft', 'publish'])
    for (const path of ['brands/me', 'brands/me/polls', 'brands/me/agents', 'brands/me/apps', 'brands/me/activity'])
      expect((await service.get(path, { token })).status).toBe(401)
    expect((await service.write('POST', 'brands/me/polls', { token, json: {} })).status).toBe(401)
    const { accessToken } = await service.exchange(brand)
    for (const other of [accessToken, owner.token, refresh_token, 'tga_unknown'])
      expect((await sendMcp(service, other, { method: 'tools/list' })).status).toBe(401)
    const { headers, json } = await sendMcp(service, accessToken, { method: 'tools/list' })
    expect(headers.get('www-authenticate')).toContain('error="invalid_token"')
    expect(json).toMatchObject({ error: { data: { code: 'UNAUTHORIZED' } } })
    const query = await service.post(`/mcp?access_token=${token}`, { json: { jsonrpc: '2.0', id: 1, method: 'ping' } })
    expect(query.status).toBe(401)
  })

  test('errors lead to no address that is not of the client', async () => {
    const own = site.add({
      redirect_uris: [
        CALLBACK,
        'https://agent.example/cb?keep=1',
        'com.example.agent:/cb',
        'javascript:alert(1)',
        'http://agent.example/cb',
        'https://u:p@agent.example/cb',
      ],
    })
    const ask = (redirect_uri: string | null) => look(authorizeQuery(service, { client_id: own, redirect_uri }))
    const refused = [
      ...['https://evil.example/cb', 'https://agent.example/cb', 'https://agent.example/cb?keep=1&more=2'],
      ...[
        'https://agent.example.evil.example/cb?keep=1',
        'https://agent.example@evil.example/cb?keep=1',
        'HTTPS://agent.example/cb?keep=1',
      ],
      ...[
        'https://agent.example/cb?keep=1#',
        `${CALLBACK}#x`,
        'http://127.0.0.1:33418/callback/../x',
        'http://127.0.0.2:33418/callback',
      ],
      ...[
        'javascript:alert(1)',
        'http://agent.example/cb',
        'https://u:p@agent.example/cb',
        '//evil.example/cb',
        '/cb',
        '',
      ],
      ...['http://localhost:33418/callback', 'https://127.0.0.1:33418/callback', 'data:text/html,x'],
    ]
    for (const uri of refused) {
      const reply = await ask(uri)
      expect([uri, reply.status, fieldsOf(reply)]).toEqual([uri, 422, ['redirect_uri invalid_redirect']])
    }
    expect((await ask(null)).status).toBe(422)
    for (const [uri, leadsTo] of [
      ['http://127.0.0.1:1/callback', '127.0.0.1:1'],
      ['http://127.0.0.1/callback', '127.0.0.1'],
      ['https://agent.example/cb?keep=1', 'agent.example'],
      ['com.example.agent:/cb', 'com.example.agent'],
    ] as const)
      expect((await ask(uri)).body.data).toMatchObject({ leadsTo, refusalTo: expect.stringContaining('access_denied') })
  })

  test('other faults lead back to the client, with state and iss', async () => {
    const faults = [
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ response_type: null }, 'unsupported_response_type'],
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ code_challenge_method: null }, 'invalid_request'],
      [{ code_challenge: null }, 'invalid_request'],
      [{ code_challenge: 'short' }, 'invalid_request'],
      [{ resource: null }, 'invalid_target'],
      [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
    ] as const
    for (const [values, error] of faults) {
      const query = authorizeQuery(service, { client_id: clientId, ...values })
      const { body } = await look(query)
      expect(body.data).toMatchObject({ name: null, host: null, leadsTo: '127.0.0.1:33418' })
      const to = new URL(body.data['refusalTo'] ?? '')
      expect([to.origin + to.pathname, to.searchParams.get('error'), to.searchParams.get('state')]).toEqual([
        CALLBACK,
        error,
        'the-state',
      ])
      expect(to.searchParams.get('iss')).toBe(publicUrl())
      const allowed = await allow(service, owner, { query, brandSlug: brand.slug, permissions: ['read'] })
      expect(new URL(allowed.body.data.redirectTo).searchParams.get('error')).toBe(error)
    }
    const twice = await look(
      `${authorizeQuery(service, { client_id: clientId })}&redirect_uri=https%3A%2F%2Fevil.example`,
    )
    expect(fieldsOf(twice)).toEqual(['redirect_uri duplicate_parameter'])
  })

  test('a client is its document: its address, its size, its form, without a redirect', async () => {
    const whole = { client_id: 'x', client_name: 'A', redirect_uris: [CALLBACK] }
    const ids = [
      'not an address',
      '',
      `${site.origin}/`,
      `${site.origin}/missing.json`,
      site.add({ client_id: clientId }),
      site.add({ client_name: 'A\u202eB' }),
      site.add({ client_name: '' }),
      site.add({ redirect_uris: [] }),
      site.add({ redirect_uris: 'https://a.example' }),
      site.add({ token_endpoint_auth_method: 'client_secret_basic' }),
      site.add({ padding: 'x'.repeat(20_000) }),
      `${clientId}#x`,
      clientId.replace('http://', 'http://user@'),
      clientId.replace('/client', '/./client'),
      site.answer('/html', () => new Response('<html>')),
      site.answer('/other.json', () => Response.json(whole, { status: 201 })),
      site.answer('/moved.json', () => Response.redirect(clientId)),
      'file:///etc/passwd',
      'http://127.0.0.1:9/client.json',
    ]
    for (const id of ids) {
      const reply = await look(authorizeQuery(service, { client_id: id }))
      expect([id, reply.status, fieldsOf(reply)]).toEqual([id, 422, ['client_id invalid_client']])
    }
  })

  test.each([301, 302, 303, 307, 308])('a redirect with status %i is not followed', async (status) => {
    const moved = site.answer(`/moved-${status}.json`, () => Response.redirect(clientId, status))
    site.asked.length = 0
    const reply = await look(authorizeQuery(service, { client_id: moved }))
    expect([reply.status, fieldsOf(reply), site.asked]).toEqual([
      422,
      ['client_id invalid_client'],
      [`/moved-${status}.json`],
    ])
  })

  test('only a page of ours, of a person who is signed in, asks and allows', async () => {
    const asked = site.asked.length
    const query = authorizeQuery(service, { client_id: clientId })
    const json = { query, brandSlug: brand.slug, permissions: ['read'] }
    for (const path of ['auth/agents', 'auth/agents/request']) {
      const send = (headers: Record<string, string>) =>
        service.post(path, { headers, json: path === 'auth/agents' ? json : { query } })
      expect((await send({ 'Sec-Fetch-Site': 'same-origin' })).status).toBe(401)
      expect((await send({ ...owner.page, 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403)
      expect(
        (await send({ ...owner.page, Origin: 'https://evil.example', 'Sec-Fetch-Site': 'same-origin' })).status,
      ).toBe(403)
      const { 'Sec-Fetch-Site': _, ...bare } = owner.page
      expect((await send(bare)).status).toBe(403)
      expect((await send({ ...owner.page, 'Content-Type': 'text/plain' })).status).toBe(415)
    }
    // Nobody else makes the service fetch anything.
    expect(site.asked.length).toBe(asked)
    const other = await service.createBrand()
    expect((await allow(service, owner, { ...json, brandSlug: other.slug })).status).toBe(404)
    expect((await allow(service, owner, { ...json, permissions: ['delete'] })).status).toBe(422)
  })

  test('a permission ends under Keys, and with the membership, at once', async () => {
    const editor = await addMember(service, brand, 'editor')
    const analyst = await addMember(service, brand, 'analyst')
    const of = (member: TestMember) => agentTokens(service, brand, member, { clientId, permissions: ['read', 'draft'] })
    const [mine, theirs] = [await of(editor), await of(analyst)]
    const list = async ({ token }: TestMember) =>
      (await service.get<{ agentId: string; member: { memberId: string } }[]>('brands/me/agents?limit=100', { token }))
        .body.data
    expect(await list(editor)).toMatchObject([
      { name: 'Poll writer', host: site.host, permissions: ['read', 'draft'], member: { memberId: editor.memberId } },
    ])
    const boss = await addMember(service, brand, 'owner')
    const { accessToken } = await service.exchange(brand)
    const all = await list(boss)
    const theirId = all.find(({ member }) => member.memberId === analyst.memberId)?.agentId ?? ''
    expect((await service.write('DELETE', `brands/me/agents/${theirId}`, { token: editor.token })).status).toBe(404)
    expect((await service.write('DELETE', `brands/me/agents/${theirId}`, { token: accessToken })).status).toBe(403)
    const another = await of(editor)
    const anotherId = (await list(editor))[0]?.agentId
    expect((await service.write('DELETE', `brands/me/agents/${anotherId}`, { token: editor.token })).status).toBe(204)
    expect(await Promise.all([another, mine].map((tokens) => isAlive(tokens.access_token)))).toEqual([false, true])
    const stranger = await addMember(service, await service.createBrand(), 'owner')
    expect((await service.write('DELETE', `brands/me/agents/${theirId}`, { token: stranger.token })).status).toBe(404)
    expect(await isAlive(theirs.access_token)).toBe(true)
    expect((await service.write('DELETE', `brands/me/agents/${theirId}`, { token: boss.token })).status).toBe(204)
    expect(await isAlive(theirs.access_token)).toBe(false)
    expect((await refresh(theirs.refresh_token)).status).toBe(400)
    const gone = await service.write('DELETE', `brands/me/members/${editor.memberId}`, { token: boss.token })
    expect(gone.status).toBe(204)
    expect(await isAlive(mine.access_token)).toBe(false)
    expect(await list(boss)).not.toContainEqual(expect.objectContaining({ member: { memberId: editor.memberId } }))
    const { body } = await service.get<{ action: string }[]>('brands/me/activity?subject=agent', { token: boss.token })
    expect(body.data.map(({ action }) => action).slice(0, 3)).toEqual(['agent.ended', 'agent.ended', 'agent.allowed'])
  })

  test('a member who is demoted takes the agent along, and a deleted brand ends it', async () => {
    const home = await service.createBrand()
    const boss = await addMember(service, home, 'owner')
    const editor = await addMember(service, home, 'editor')
    const { access_token } = await agentTokens(service, home, editor, { clientId, permissions: ['read', 'draft'] })
    const draft = () =>
      callTool(service, access_token, 'poll_draft', {
        title: randomUUID(),
        optionA: { label: 'A' },
        optionB: { label: 'B' },
      })
    expect((await draft()).json.result).not.toHaveProperty('isError')
    await service.write('PATCH', `brands/me/members/${editor.memberId}`, {
      token: boss.token,
      json: { role: 'analyst' },
    })
    expect((await draft()).json.result).toMatchObject({ isError: true })
    expect(JSON.stringify((await draft()).json)).toContain('SCOPE_REQUIRED')
    const { deps } = service
    await transaction(deps.engine, (tx) => deleteBrand(deps, tx, home.brandKey))
    expect((await draft()).status).toBe(401)
  })
})

describe('the document of a client', () => {
  const reached: string[] = []
  /** The addresses of this machine that are not public, where an attacker would want us to connect. */
  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
  const local = own.filter(({ address, scopeid }) => !scopeid && isReserved(address)).map(({ address }) => address)
  const canaries: { stop(force: boolean): void }[] = []
  let port: number
  beforeAll(() => {
    const listen = (hostname: string, on: number) => {
      const socket = { open: () => void reached.push(hostname), data() {}, error() {} }
      const canary = Bun.listen({ hostname, port: on, socket })
      canaries.push(canary)
      return canary.port
    }
    port = listen('127.0.0.1', 0)
    for (const address of local.filter((each) => each !== '127.0.0.1')) listen(address, port)
  })
  afterAll(() => {
    for (const canary of canaries) canary.stop(true)
  })

  /** Asks for an agent of each host, on the port of the canaries, as a person of a new brand. */
  async function askedBy(settings: Record<string, string>, hosts: readonly string[]): Promise<string[]> {
    const service = await startTestService('sqlite', {
      settings: { ...settings, TRUSTED_PROXIES: '127.0.0.1', WEBHOOK_PORTS: `443,${port}` },
    })
    try {
      const { page } = await addMember(service, await service.createBrand(), 'owner')
      const answers = hosts.map(async (host) => {
        const query = authorizeQuery(service, { client_id: `https://${host}:${port}/client.json` })
        const { status, text } = await service.post('auth/agents/request', { headers: page, json: { query } })
        return `${host} ${status} ${text.includes('invalid_client')}`
      })
      return await Promise.all(answers)
    } finally {
      await service.stop()
    }
  }

  const hostOf = (address: string) => (address.includes(':') ? `[${address}]` : address)
  const names = ['localhost', 'a.localhost', hostname()]
  const others = ['10.0.0.1', '172.16.0.1', '192.168.0.1', '169.254.169.254', '100.64.0.1', '[fe80::1]', '[fd00::1]']
  const hosts = [...local.map(hostOf), ...names, ...others, '0.0.0.0', '2130706433', '[::ffff:127.0.0.1]']

  test('is fetched from no private address, by its number or by its name', async () => {
    expect(await askedBy({}, hosts)).toEqual(hosts.map((host) => `${host} 422 true`))
    expect(reached).toEqual([])
  })

  test('is fetched from there if the operator allows private addresses', async () => {
    await askedBy({ WEBHOOK_ALLOW_PRIVATE: 'true' }, local.map(hostOf))
    expect(reached.sort()).toEqual([...local].sort())
  })
})
