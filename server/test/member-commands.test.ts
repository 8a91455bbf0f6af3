import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { newPlace, type Place, type Serving, serve, tossup, tossupJson } from './command.ts'
import { engines } from './engines.ts'
import { MailBox } from './mail-box.ts'
import { OWN_PAGE, tokenOf } from './people.ts'

// Processes start slowly on a busy machine.
setDefaultTimeout(60_000)

interface LinkJson {
  url: string
  expiresAt: string
}

interface ListJson {
  members: { memberId: string; email: string; role: string; lastSeenAt: string | null }[]
}

describe.each([...engines])('%s: the commands for members, beside a running server', (engine) => {
  const box = new MailBox()
  let place: Place
  let server: Serving
  let settings: Record<string, string>
  beforeAll(async () => {
    place = await newPlace(engine)
    await box.open()
    settings = { ...place.settings, SMTP_URL: box.url, PUBLIC_URL: 'http://localhost:3999' }
    server = await serve(settings)
    await tossupJson(['brand', 'create', '--slug', 'acme', '--name', 'Acme'], settings)
  })
  afterAll(async () => {
    server.kill('SIGTERM')
    await server.ended
    await box.close()
    await place.clear()
  })

  const run = (...words: string[]) => tossup(words, settings)
  const json = <Data>(...words: string[]) => tossupJson<Data>(words, settings)

  /** The cookie after a link was used. */
  async function use(url: string): Promise<{ status: number; cookie: string }> {
    const response = await fetch(`${server.url}/api/rest/v1/auth/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...OWN_PAGE },
      body: JSON.stringify({ token: tokenOf(url) }),
    })
    return { status: response.status, cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '' }
  }

  const tokenStatus = async (cookie: string) =>
    (
      await fetch(`${server.url}/api/rest/v1/auth/session/token`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...OWN_PAGE, Cookie: cookie },
        body: JSON.stringify({ brandSlug: 'acme' }),
      })
    ).status

  test('links lead to the address that the server has stored, without PORT and PUBLIC_URL', async () => {
    const words = ['member', 'invite', '--brand', 'acme', '--email', 'far@example.com', '--role', 'editor']
    const { url } = await tossupJson<LinkJson>(words, place.settings)
    expect(url).toStartWith('http://localhost:3999/console/')
  })

  test('invite, list, link and remove a person', async () => {
    const email = 'Ada@people.test'
    const invited = await json<LinkJson>('member', 'invite', '--brand', 'acme', '--email', email, '--role', 'owner')
    expect(invited).toEqual({
      url: expect.stringMatching(/^http:\/\/localhost:3999\/console\/join#tsl_[\w-]{43}$/),
      expiresAt: expect.stringMatching(/Z$/),
    })
    expect((await box.next(email)).header('Subject')).toBe('Acme invites you to Tossup')
    expect((await use(invited.url)).status).toBe(200)

    const second = await json<LinkJson>(
      'member',
      'invite',
      '--brand',
      'acme',
      '--email',
      'bea@people.test',
      '--role',
      'editor',
    )
    const before = await use(second.url)
    expect([before.status, await tokenStatus(before.cookie)]).toEqual([200, 200])
    const { members } = await json<ListJson>('member', 'list', '--brand', 'acme')
    expect(members.map(({ email: address, role }) => [address, role])).toEqual([
      [email, 'owner'],
      ['bea@people.test', 'editor'],
    ])

    const link = await json<LinkJson>('member', 'link', '--email', 'BEA@people.test')
    const { status, cookie } = await use(link.url)
    expect([status, (await use(link.url)).status]).toEqual([200, 401])
    expect(await tokenStatus(cookie)).toBe(200)
    // The inviter may have used the invitation.
    expect(await tokenStatus(before.cookie)).toBe(401)
    const removed = await json('member', 'remove', '--brand', 'acme', '--email', 'bea@people.test')
    expect(removed).toEqual({ removed: true, email: 'bea@people.test' })
    expect(await tokenStatus(cookie)).toBe(401)
    expect((await run('member', 'list', '--brand', 'acme')).stdout).toMatch(/^Ada@people\.test {2}owner {2}/)
  })

  test('a member becomes an operator, is listed as one, and is none any more', async () => {
    const email = 'Olga@people.test'
    const words = ['member', 'invite', '--brand', 'acme', '--email', email, '--role', 'analyst']
    const invited = await use((await json<LinkJson>(...words)).url)
    expect(await json('member', 'operator', email)).toEqual({ email, operator: true })
    // Nobody has proven that they read this address: the inviter may have used the link.
    expect(await tokenStatus(invited.cookie)).toBe(401)
    const { cookie } = await use((await json<LinkJson>('member', 'link', '--email', email)).url)
    const status = async () =>
      (await fetch(`${server.url}/api/rest/v1/service`, { headers: { ...OWN_PAGE, Cookie: cookie } })).status
    const isListed = async () => /olga@people\.test {2}analyst, operator/i.test((await listed()).stdout)
    const listed = () => run('member', 'list', '--brand', 'acme')
    expect([await status(), await isListed()]).toEqual([200, true])
    expect(await json('member', 'operator', 'OLGA@people.test', '--remove')).toMatchObject({ operator: false })
    expect([await status(), await isListed()]).toEqual([403, false])
  })

  test('say in one line what is wrong, and change nothing', async () => {
    const owner = { brand: 'acme', email: 'carl@people.test', role: 'owner' }
    const words = (command: string, given: Record<string, string>) => [
      'member',
      command,
      ...Object.entries(given).flatMap(([name, value]) => [`--${name}`, value]),
    ]
    const { url } = await json<LinkJson>(...words('invite', { ...owner, email: 'dora@people.test', brand: 'acme' }))
    await use(url)
    const refused: [string[], number, RegExp][] = [
      [words('invite', { ...owner, brand: 'nowhere' }), 1, /no brand with the slug nowhere/],
      [words('invite', { ...owner, email: 'DORA@people.test' }), 1, /has this address already/],
      [words('invite', { ...owner, email: 'nobody' }), 2, /must be an email address/],
      [words('invite', { ...owner, role: 'admin' }), 2, /must be one of owner, editor, analyst/],
      [words('link', { email: 'nobody@people.test' }), 1, /No member has the address/],
      [words('remove', { brand: 'acme', email: 'nobody@people.test' }), 1, /No member of acme/],
      [words('list', { brand: 'nowhere' }), 1, /no brand/],
      [['member', 'operator', 'nobody@people.test'], 1, /No member has the address.+member invite/],
      [['member', 'operator'], 2, /EMAIL is missing.+Usage: tossup member operator EMAIL \[--remove\]/],
      [['member', 'operator', 'nobody'], 2, /EMAIL must be an email address/],
    ]
    for (const [command, code, message] of refused) {
      const said = await run(...command)
      expect([said.code, said.stderr.trim().split('\n').length]).toEqual([code, 1])
      expect(said.stderr).toMatch(message)
    }
    const { members } = await json<ListJson>('member', 'list', '--brand', 'acme')
    for (const { email } of members.slice(1)) await run('member', 'remove', '--brand', 'acme', '--email', email)
    const last = await run('member', 'remove', '--brand', 'acme', '--email', members[0]?.email ?? '')
    expect([last.code, last.stderr]).toEqual([1, expect.stringContaining('needs an owner')])
  })
})
