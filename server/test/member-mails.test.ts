import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { LANGS, type Lang } from '../../embed/src/words.ts'
import type { Role } from '../src/base/roles.ts'
import { filled, WORDS } from '../src/words/words.ts'
import { pollKeyOf } from './ballot-box.ts'
import { createCodeList, issueCodes, voteByCode } from './codes.ts'
import { engines } from './engines.ts'
import { MailBox, type ReceivedMail } from './mail-box.ts'
import { addMember, type TestMember } from './people.ts'
import { deletePoll, fromNow, HOUR, patchPoll } from './polls.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'
import { castInThePast } from './timelines.ts'
import { castMany } from './voters.ts'

setDefaultTimeout(60_000)

const MINUTE = 60_000
const QUARTER = 15 * MINUTE
const DAY = 24 * HOUR
const words = WORDS.en.mails

const allOn = { pollClosed: true, firstVote: true, roundNumbers: true, weeklyDigest: true }
const allOff = { pollClosed: false, firstVote: false, roundNumbers: false, weeklyDigest: false }

describe.each([...engines])('%s: mails about polls', (engine) => {
  const box = new MailBox()
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    await box.open()
    service = await startTestService(engine, {
      jobs: 'by hand',
      settings: { SMTP_URL: box.url, PUBLIC_URL: 'https://polls.test', ACCESS_TOKEN_SECONDS: '3600' },
    })
  })
  beforeEach(async () => {
    brand = await service.createBrand()
  })
  afterAll(async () => {
    await service.stop()
    await box.close()
  })

  const path = 'brands/me/mail-preferences'
  const set = ({ token }: Pick<TestMember, 'token'>, json: Record<string, unknown>, from: TestService = service) =>
    from.write<Record<string, unknown>>('PATCH', path, { token, json })

  async function subscriber(json: Record<string, unknown>, role: Role = 'editor') {
    const member = await addMember(service, brand, role)
    expect((await set(member, json)).status).toBe(200)
    return member
  }

  /** Events become news in the first run, and news become mails in the second. */
  async function runJobs() {
    await service.runDue()
    service.clock.advance(MINUTE + 1)
    await service.runDue()
  }

  const mailsTo = ({ email }: Pick<TestMember, 'email'>) => box.mails.filter(({ to }) => to.includes(email))
  const onlyMail = (member: TestMember): ReceivedMail => {
    const mails = mailsTo(member)
    expect(mails).toHaveLength(1)
    return mails[0] as ReceivedMail
  }
  const change = async (slug: string, json: Record<string, unknown>) =>
    expect((await patchPoll(service, brand, slug, json)).status).toBe(200)
  const close = (slug: string) => change(slug, { closesAt: new Date(service.clock.now()).toISOString() })

  test('are all off at first, and each member sets their own for each brand', async () => {
    const [member, other] = [await addMember(service, brand, 'analyst'), await addMember(service, brand, 'owner')]
    const read = async ({ token }: TestMember) => (await service.get(path, { token })).body.data
    expect(await read(member)).toEqual({ ...allOff, lang: 'en', available: true })
    const changed = await service.write('PATCH', path, {
      token: member.token,
      headers: { 'Accept-Language': 'de' },
      json: { pollClosed: true },
    })
    expect(changed.body.data).toEqual({ ...allOff, pollClosed: true, lang: 'de', available: true })
    await set(member, { weeklyDigest: true, lang: 'ar' })
    expect(await read(member)).toEqual({ ...allOff, pollClosed: true, weeklyDigest: true, lang: 'ar', available: true })
    expect(await read(other)).toEqual({ ...allOff, lang: 'en', available: true })
    const activity = await service.get<unknown[]>('brands/me/activity?action=member.updated', { token: other.token })
    expect(activity.body.data).toEqual([])
  })

  test('tell the result of a poll that closed, once', async () => {
    const member = await subscriber({ pollClosed: true }, 'analyst')
    const [other, former] = [await addMember(service, brand, 'owner'), await subscriber({ pollClosed: true })]
    await service.db.deleteFrom('members').where('person_key', '=', former.personKey).execute()
    const poll = await service.createPoll(brand, {
      title: 'Tea <b> or coffee?',
      optionA: { label: 'Tea' },
      optionB: { label: 'Coffee' },
      resultsVisibility: 'never',
    })
    await castMany(service, await pollKeyOf(service, poll), 300)
    await close(poll.slug)
    await runJobs()
    const mail = onlyMail(member)
    expect(mail.header('Subject')).toBe('“Tea <b> or coffee?” has closed')
    const lines = ['Tea: 200 (67%)', 'Coffee: 100 (33%)', filled(words.leading, { label: 'Tea' })]
    const interval = filled(words.interval, { label: 'Tea', low: '61%', high: '72%' })
    for (const text of [...lines, interval, words.aboutVoters]) expect(mail.text()).toContain(text)
    expect(mail.text()).not.toContain(words.oneLook)
    expect(mail.html()).toContain('Tea &lt;b&gt; or coffee?')
    expect(mail.html()).toContain(`href="https://polls.test/console/${brand.slug}/polls/${poll.slug}"`)
    expect([mailsTo(other), mailsTo(former)]).toEqual([[], []])
    service.clock.advance(QUARTER)
    await change(poll.slug, { closesAt: null })
    await runJobs()
    await close(poll.slug)
    await runJobs()
    onlyMail(member)
  })

  test('call a close result too close, and say for what the interval holds', async () => {
    const member = await subscriber({ pollClosed: true })
    const [close1, none] = [await service.createPoll(brand), await service.createPoll(brand)]
    await service.vote(close1.slug, 'A')
    await close(close1.slug)
    await runJobs()
    expect(onlyMail(member).text()).toContain(words.tooClose)
    expect(onlyMail(member).text()).toContain(words.oneLook)
    service.clock.advance(QUARTER)
    await close(none.slug)
    await runJobs()
    expect(mailsTo(member)[1]?.text()).toContain(words.noVotes)
  })

  test('tell who leads a vote by codes, however few voted', async () => {
    const member = await subscriber({ pollClosed: true })
    const { codeListId } = await createCodeList(service, brand, 'Members')
    const poll = await service.createPoll(brand, { codeListId, optionA: { label: 'Tea' } })
    const [code = ''] = await issueCodes(service, brand, { codeListId, count: 1 })
    expect((await voteByCode(service, poll, { code, device: randomUUID() })).status).toBe(201)
    await close(poll.slug)
    await runJobs()
    const text = onlyMail(member).text()
    expect(text).toContain(filled(words.leading, { label: 'Tea' }))
    expect(text).toContain(WORDS.en.results.wholeCount)
    expect(text).not.toContain(words.tooClose)
  })

  test('tell of the first vote and of round numbers, each once, and cost a vote nothing', async () => {
    const [first, round] = [await subscriber({ firstVote: true }), await subscriber({ roundNumbers: true })]
    const poll = await service.createPoll(brand)
    const key = await pollKeyOf(service, poll)
    await runJobs()
    await castMany(service, key, 1)
    await runJobs()
    expect(onlyMail(first).header('Subject')).toBe(`The first vote on “${poll.title}”`)
    await castMany(service, key, 98)
    await runJobs()
    expect(mailsTo(round)).toEqual([])
    await castMany(service, key, 1)
    await runJobs()
    expect(onlyMail(round).header('Subject')).toBe(`“${poll.title}” has 100 votes`)
    service.clock.advance(QUARTER)
    await castMany(service, key, 950)
    await runJobs()
    expect(mailsTo(round).map((mail) => mail.header('Subject'))[1]).toBe(`“${poll.title}” has 1,000 votes`)
    service.clock.advance(QUARTER)
    await runJobs()
    expect([mailsTo(first).length, mailsTo(round).length]).toEqual([1, 2])
  })

  test('are one mail for several polls, and for those within a quarter of an hour', async () => {
    const member = await subscriber({ pollClosed: true, firstVote: true })
    const polls = await Promise.all(['One', 'Two', 'Three'].map((title) => service.createPoll(brand, { title })))
    for (const { slug } of polls.slice(0, 2)) {
      await service.vote(slug, 'A')
      await close(slug)
    }
    await runJobs()
    const mail = onlyMail(member)
    expect(mail.header('Subject')).toBe(filled(words.newsSubject, { brand: `Brand ${brand.slug}` }))
    for (const text of ['“One” has closed', '“Two” has closed', 'The first vote on “One”'])
      expect(mail.text()).toContain(text)
    await close(polls[2]?.slug ?? '')
    await runJobs()
    expect(mailsTo(member)).toHaveLength(1)
    service.clock.advance(QUARTER)
    await service.runDue()
    expect(mailsTo(member)[1]?.header('Subject')).toBe('“Three” has closed')
  })

  test('end with one press: by a mail program, or on a page that ends nothing by being opened', async () => {
    const member = await subscriber(allOn)
    const poll = await service.createPoll(brand)
    await close(poll.slug)
    await runJobs()
    const mail = onlyMail(member)
    const link = /^<(https:\/\/polls\.test\/mail\/stop\/[\w-]{64})>$/.exec(mail.header('List-Unsubscribe'))?.[1] ?? ''
    expect(mail.header('List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click')
    expect(mail.html()).toContain(`href="${link}"`)
    expect(mail.text()).toContain(link)
    const address = service.service.url + new URL(link).pathname
    const opened = await fetch(address, { headers: { 'Accept-Language': 'fr' } })
    expect([opened.status, await opened.text()]).toEqual([200, expect.stringContaining('<form method="post">')])
    expect(opened.headers.get('content-security-policy')).toContain("form-action 'self'")
    const state = async () => (await service.get<typeof allOn>(path, { token: member.token })).body.data
    expect(await state()).toMatchObject(allOn)
    for (const forged of [address.slice(0, -4), `${address.slice(0, -1)}${address.endsWith('A') ? 'B' : 'A'}`])
      expect((await fetch(forged, { method: 'POST' })).status).toBe(404)
    expect(await state()).toMatchObject(allOn)
    const large = await fetch(address, { method: 'POST', body: new Uint8Array(256 * 1024) })
    const packed = await fetch(address, { method: 'POST', body: 'x', headers: { 'Content-Encoding': 'gzip' } })
    expect([large.status, packed.status]).toEqual([413, 415])
    expect(await state()).toMatchObject(allOn)
    const ended = await fetch(address, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    })
    expect([ended.status, await ended.text()]).toEqual([200, expect.stringContaining(words.stopped)])
    expect(await state()).toMatchObject(allOff)
    const form = new FormData()
    form.set('List-Unsubscribe', 'One-Click')
    expect((await fetch(address, { method: 'POST', body: form })).status).toBe(200)
  })

  test('are not sent once they are turned off, for a deleted poll, or a day late', async () => {
    const member = await subscriber({ pollClosed: true })
    const off = await subscriber({ pollClosed: true })
    const [kept, deleted] = [await service.createPoll(brand), await service.createPoll(brand, { title: 'Gone?' })]
    await close(kept.slug)
    await close(deleted.slug)
    await service.runDue()
    await deletePoll(service, brand, deleted.slug)
    await set(off, allOff)
    service.clock.advance(MINUTE + 1)
    await service.runDue()
    expect(onlyMail(member).text()).not.toContain('Gone?')
    expect(mailsTo(off)).toEqual([])
    const late = await service.createPoll(brand)
    await close(late.slug)
    await service.runDue()
    service.clock.advance(DAY + HOUR)
    await service.runDue()
    onlyMail(member)
  })

  test('that the mail server takes later are sent then; an address that it refuses is not tried again', async () => {
    const [later, gone] = [await subscriber({ pollClosed: true }), await subscriber({ pollClosed: true })]
    box.refuse(later.email, 450)
    box.refuse(gone.email, 550)
    const poll = await service.createPoll(brand)
    await close(poll.slug)
    await runJobs()
    box.accept(later.email)
    box.accept(gone.email)
    await runJobs()
    expect([mailsTo(later), mailsTo(gone)]).toEqual([[], []])
    service.clock.advance(QUARTER)
    await service.runDue()
    expect([mailsTo(later).length, mailsTo(gone).length]).toEqual([1, 0])
  })

  test('sum up the last week on Monday, if anybody voted', async () => {
    const member = await subscriber({ weeklyDigest: true })
    const quiet = await service.createBrand()
    const idle = await addMember(service, quiet, 'owner')
    await set(idle, { weeklyDigest: true })
    const poll = await service.createPoll(brand, { optionA: { label: 'Tea' }, optionB: { label: 'Cocoa' } })
    const monday = await service.db
      .selectFrom('members')
      .select('digest_at')
      .where('person_key', '=', member.personKey)
      .executeTakeFirstOrThrow()
    expect(new Date(monday.digest_at ?? 0).toISOString()).toMatch(/T08:00:00\.000Z$/)
    expect(new Date(monday.digest_at ?? 0).getUTCDay()).toBe(1)
    // A week ends on Sunday, so votes of today are in the week before where the clock is ahead by a Monday.
    const votedAt = (monday.digest_at ?? 0) - 3 * DAY
    const votes = (['A', 'B', 'A'] as const).map((option) => ({ option, votedAt }))
    await castInThePast(service, await pollKeyOf(service, poll), votes)
    await runJobs()
    expect(mailsTo(member)).toEqual([])
    service.clock.advance((monday.digest_at ?? 0) - service.clock.now() + MINUTE)
    await service.runDue()
    const mail = onlyMail(member)
    expect(mail.header('Subject')).toBe(filled(words.digestSubject, { brand: `Brand ${brand.slug}` }))
    expect(mail.text()).toContain('Votes last week: 3. The week before: 0. Open polls: 1.')
    expect(mail.text()).toContain('Tea: 2 (67%)')
    expect(mailsTo(idle)).toEqual([])
    service.clock.advance(QUARTER)
    await service.runDue()
    onlyMail(member)
  })

  test('speak ten languages, with the logo of the brand and one button', async () => {
    const members = new Map<Lang, TestMember>()
    for (const lang of LANGS) members.set(lang, await subscriber({ pollClosed: true, lang }))
    const theme = JSON.stringify({ logoLight: `${'k'.repeat(32)}.png` })
    await service.db.updateTable('brands').set({ theme }).where('key', '=', brand.brandKey).execute()
    const poll = await service.createPoll(brand)
    await service.vote(poll.slug, 'B')
    await close(poll.slug)
    await runJobs()
    for (const [lang, member] of members) {
      const mail = onlyMail(member)
      expect(mail.header('Subject')).toBe(filled(WORDS[lang].mails.closed, { title: poll.title }))
      const markup = mail.html()
      expect(markup).toContain(`<html lang="${lang}" dir="${lang === 'ar' ? 'rtl' : 'ltr'}">`)
      expect(markup).toContain(`<img src="https://polls.test/files/${'k'.repeat(32)}.png"`)
      expect([markup.match(/class="button"/g)?.length, markup.match(/<a /g)?.length]).toEqual([1, 2])
      expect(mail.text()).toContain(WORDS[lang].mails.aboutVoters)
    }
  })

  test('are not sent without a mail server, and not later for what happened then', async () => {
    const bare = await startTestService(engine, { jobs: 'by hand' })
    try {
      const own = await bare.createBrand()
      const member = await addMember(bare, own, 'owner')
      const answer = await set(member, { pollClosed: true }, bare)
      expect(answer.body.data).toMatchObject({ pollClosed: true, available: false })
      const poll = await bare.createPoll(own)
      await patchPoll(bare, own, poll.slug, { closesAt: fromNow(0) })
      await bare.runDue()
      bare.clock.advance(MINUTE + 1)
      await bare.runDue()
      expect(mailsTo(member)).toEqual([])
    } finally {
      await bare.stop()
    }
  })
})
