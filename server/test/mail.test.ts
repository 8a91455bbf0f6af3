import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { LANGS } from '../../embed/src/words.ts'
import { filled, WORDS } from '../src/words/words.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { MailBox } from './mail-box.ts'
import { addMember, tokenOf, useToken } from './people.ts'
import { outcomeOf, startTestService, type TestBrand, type TestService } from './service.ts'

describe.each([...engines])('%s: mails', (engine) => {
  const box = new MailBox()
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    await box.open()
    service = await startTestService(engine, {
      settings: {
        SMTP_URL: box.url,
        MAIL_FROM: 'Polls <polls@bakery.test>',
        PUBLIC_URL: 'https://polls.test',
        TRUSTED_PROXIES: '127.0.0.1',
      },
    })
    brand = await service.createBrand()
  })
  afterAll(async () => {
    await service.stop()
    await box.close()
  })

  const ask = (email: string, { from = '192.0.2.1', lang = 'en' } = {}) =>
    service.post<{ accepted: true }>('auth/links', {
      headers: { 'X-Forwarded-For': from, 'Accept-Language': lang },
      json: { email },
    })

  const mailsTo = (email: string) => box.mails.filter(({ to }) => to.includes(email)).length

  /** The answers to strangers in as many networks who ask for links to the address. */
  async function answersOf(times: number, email: string) {
    const seen: string[] = []
    for (let i = 0; i < times; i++) {
      const { status, text, headers } = await ask(email, { from: `192.0.2.${10 + i}` })
      seen.push(JSON.stringify([status, text, [...headers.keys()].sort()]))
    }
    return seen
  }

  test('bring a member a link that signs in once', async () => {
    const member = await addMember(service, brand, 'editor')
    const asked = await ask(member.email.toUpperCase())
    expect([asked.status, asked.body.data]).toEqual([202, { accepted: true }])
    const mail = await box.next(member.email)
    expect(mail).toMatchObject({ from: 'polls@bakery.test', to: [member.email] })
    expect(mail.header('From')).toBe('Polls <polls@bakery.test>')
    expect(mail.header('Subject')).toBe('Your sign-in link for Tossup')
    expect(mail.header('Content-Type')).toStartWith('multipart/alternative')
    const [link = ''] = mail.links()
    expect(link).toMatch(/^https:\/\/polls\.test\/console\/join#tsl_[\w-]{43}$/)
    expect(new Set(mail.links()).size).toBe(1)
    const signedIn = await useToken(service, tokenOf(link))
    expect([outcomeOf(signedIn), signedIn.body.data.member.email]).toEqual(['200 fine', member.email])
    expect(outcomeOf(await useToken(service, tokenOf(link)))).toBe('401 INVALID_LINK')
  })

  test('are sent to members only, and the answer is the same for everyone', async () => {
    const former = await addMember(service, brand, 'editor')
    await service.db.deleteFrom('members').where('person_key', '=', former.personKey).execute()
    const known = await addMember(service, brand, 'editor')
    const answers: string[] = []
    for (const email of [`nobody-${randomUUID()}@people.test`, former.email, known.email]) {
      const { status, text, headers } = await ask(email, { from: '192.0.2.2' })
      const named = ['content-type', 'cache-control', 'content-length'].map((name) => headers.get(name))
      answers.push(JSON.stringify([status, text, named]))
    }
    expect(new Set(answers).size).toBe(1)
    await box.next(known.email)
    expect(box.mails.flatMap(({ to }) => to)).not.toContain(former.email)
    const links = await service.db.selectFrom('sign_in_links').select('person_key').execute()
    expect(links.filter(({ person_key }) => person_key === former.personKey)).toEqual([])
  })

  test('are five an hour for an address, and a stranger who uses them up ends no link of the member', async () => {
    const member = await addMember(service, brand, 'editor')
    await ask(member.email, { from: '192.0.2.9' })
    const own = await box.next(member.email)
    const fifth = await answersOf(6, member.email)
    const unknown = await answersOf(6, `nobody-${randomUUID()}@people.test`)
    expect(new Set([...fifth, ...unknown]).size).toBe(1)
    await eventually(() => mailsTo(member.email) === 5)
    // The mailer is idle when a later mail to somebody else has come.
    const other = await addMember(service, brand, 'editor')
    for (let i = 0; i < 3; i++) {
      await ask(other.email, { from: '192.0.2.21' })
      await eventually(() => mailsTo(other.email) === i + 1)
    }
    expect(mailsTo(member.email)).toBe(5)
    expect(outcomeOf(await useToken(service, tokenOf(own.links()[0] ?? '')))).toBe('200 fine')
  })

  test('of invitations leave a member the sign-in links', async () => {
    const member = await addMember(service, brand, 'editor')
    for (let i = 0; i < 5; i++) {
      const elsewhere = await service.createBrand()
      const { token } = await addMember(service, elsewhere, 'owner')
      const json = { email: member.email, role: 'analyst' }
      await service.write('POST', 'brands/me/invitations', { token, json })
    }
    await eventually(() => mailsTo(member.email) === 5)
    await ask(member.email, { from: '192.0.2.22' })
    await eventually(() => mailsTo(member.email) === 6)
  })

  test('of invitations are twenty a day and brand beyond those who joined, with deleted ones', async () => {
    const busy = await service.createBrand()
    const { token } = await addMember(service, busy, 'owner')
    const stranger = () => `stranger-${randomUUID()}@people.test`
    const invite = (email: string) =>
      service.write<{ invitationId: string; url: string }>('POST', 'brands/me/invitations', {
        token,
        json: { email, role: 'analyst' },
      })
    const joining = await invite(stranger())
    expect((await useToken(service, tokenOf(joining.body.data.url))).status).toBe(200)
    const addresses = Array.from({ length: 23 }, stranger)
    for (const email of addresses) {
      const { status, body } = await invite(email)
      expect([status, body.data.url]).toEqual([201, expect.stringContaining('#tsl_')])
      await service.write('DELETE', `brands/me/invitations/${body.data.invitationId}`, { token })
    }
    const mailed = () => addresses.filter((email) => mailsTo(email) > 0)
    await eventually(() => mailed().length >= 20)
    const other = await addMember(service, busy, 'editor')
    await ask(other.email, { from: '192.0.2.23' })
    await box.next(other.email)
    expect(mailed()).toEqual(addresses.slice(0, 20))
  })

  test('are limited by network', async () => {
    for (let i = 0; i < 20; i++)
      expect(outcomeOf(await ask(`${i}-${randomUUID()}@people.test`, { from: '192.0.2.30' }))).toBe('202 fine')
    const last = await ask(`${randomUUID()}@people.test`, { from: '192.0.2.30' })
    expect([outcomeOf(last), last.headers.get('ratelimit-policy')]).toEqual([
      '429 RATE_LIMITED',
      '"link-network";q=20;w=3600',
    ])
  })

  test('bring an invitation with a link of its own, which signs in to an account that is there', async () => {
    const owner = await addMember(service, brand, 'owner')
    const elsewhere = await addMember(service, await service.createBrand(), 'editor')
    const invited = await service.write<{ url: string }>('POST', 'brands/me/invitations', {
      token: owner.token,
      json: { email: elsewhere.email, role: 'analyst' },
    })
    const mail = await box.next(elsewhere.email)
    expect(mail.header('Subject')).toBe(`Brand ${brand.slug} invites you to Tossup`)
    const [link = ''] = mail.links()
    expect(tokenOf(link)).not.toBe(tokenOf(invited.body.data.url))
    expect(outcomeOf(await useToken(service, tokenOf(invited.body.data.url)))).toBe('401 INVALID_LINK')
    const joined = await useToken(service, tokenOf(link))
    expect([outcomeOf(joined), joined.body.data.member.memberId]).toEqual(['200 fine', elsewhere.memberId])
    expect(outcomeOf(await useToken(service, tokenOf(invited.body.data.url)))).toBe('401 INVALID_LINK')
  })

  test('of a brand carry its logo and the address of the inviter, and have one button, which is their only link', async () => {
    const named = await service.createBrand()
    const owner = await addMember(service, named, 'owner')
    const invite = async (lang: string) => {
      const email = `new-${randomUUID()}@people.test`
      const headers = { 'Accept-Language': lang }
      const json = { email, role: 'editor' }
      await service.write('POST', 'brands/me/invitations', { token: owner.token, headers, json })
      return box.next(email)
    }
    const bare = await invite('en')
    expect(bare.html()).not.toContain('<img')
    const foreign = 'https://tracker.example/pixel.png'
    await service.write('PATCH', 'brands/me', { token: owner.token, json: { avatarUrl: foreign } })
    expect((await invite('en')).html()).not.toContain('tracker.example')
    const key = `${'k'.repeat(32)}.png`
    const theme = JSON.stringify({ logoLight: key })
    await service.db.updateTable('brands').set({ theme }).where('key', '=', named.brandKey).execute()
    for (const lang of LANGS) {
      const mail = await invite(lang)
      const markup = mail.html()
      expect(markup).toContain(`<img src="https://polls.test/files/${key}" alt="Brand ${named.slug}"`)
      expect([markup.match(/<a /g)?.length, markup.match(/https?:\/\/[^"< ]+/g)?.length]).toEqual([1, 3])
      const { inviteBy, inviteButton, roles } = WORDS[lang].people
      const intro = filled(inviteBy, { inviter: owner.email, brand: `Brand ${named.slug}`, role: roles.editor })
      for (const text of [markup, mail.text()]) expect(text).toContain(intro)
      expect(markup).toContain(`>${inviteButton}</a>`)
      expect(markup).toContain('@media(prefers-color-scheme:dark)')
    }
  })

  test('are not sent for an invitation that was refused', async () => {
    const owner = await addMember(service, brand, 'owner')
    const again = await service.write('POST', 'brands/me/invitations', {
      token: owner.token,
      json: { email: owner.email, role: 'analyst' },
    })
    expect(outcomeOf(again)).toBe('409 ALREADY_MEMBER')
    await ask(owner.email, { from: '192.0.2.40' })
    await box.next(owner.email)
    expect(box.mails.filter(({ to }) => to.includes(owner.email))).toHaveLength(1)
  })

  test('speak the languages of the service', async () => {
    for (const lang of LANGS) {
      const member = await addMember(service, brand, 'editor')
      await ask(member.email, { from: `198.51.100.${LANGS.indexOf(lang)}`, lang })
      const mail = await box.next(member.email)
      expect(mail.header('Subject')).toBe(WORDS[lang].people.signInSubject)
      expect(mail.html()).toContain(`<html lang="${lang}" dir="${lang === 'ar' ? 'rtl' : 'ltr'}">`)
      expect(mail.text()).toContain(WORDS[lang].people.signInLife)
    }
  })

  test('escape what others named: a brand cannot write the markup or the headers of a mail', async () => {
    const evil = await service.createBrand()
    const owner = await addMember(service, evil, 'owner')
    const name = '</p><a href="https://evil.example">{email} "Bank"</a>'
    await service.write('PATCH', 'brands/me', { token: owner.token, json: { name } })
    const email = `victim-${randomUUID()}@people.test`
    await service.write('POST', 'brands/me/invitations', {
      token: owner.token,
      json: { email, role: 'editor' },
    })
    const mail = await box.next(email)
    expect(mail.html()).not.toContain('<a href="https://evil.example">')
    // No word that a mail program makes a link of.
    const shown = '< p><a href="https evil example">{email} "Bank"< a>'
    expect(mail.header('Subject')).toBe(`${shown} invites you to Tossup`)
    expect(mail.text()).not.toContain('evil.example')
    expect(mail.to).toHaveLength(1)
  })

  test('that fail are logged without the address', async () => {
    const member = await addMember(service, brand, 'editor', { email: `refused-${randomUUID()}@people.test` })
    const quiet = await startTestService(engine, { settings: { SMTP_URL: box.url, LOG_LEVEL: 'warn' } })
    try {
      const other = await addMember(quiet, await quiet.createBrand(), 'editor', { email: member.email })
      box.refuse(other.email)
      expect((await quiet.post('auth/links', { json: { email: other.email } })).status).toBe(202)
      await eventually(() => quiet.logLines.join('').includes('a mail could not be sent'))
      expect(quiet.logLines.join('')).not.toContain(other.email)
      expect(quiet.logLines.join('')).toContain('550')
    } finally {
      await quiet.stop()
    }
  })
})
