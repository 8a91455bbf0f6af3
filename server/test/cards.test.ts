import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { PollListItem } from '../src/events/resources/poll.ts'
import { pollCard } from '../src/features/pages/cards/card.ts'
import { keepFile } from '../src/features/uploads/files.ts'
import { createCampaign } from './campaigns.ts'
import { sampleEngines } from './engines.ts'
import { paint } from './pictures.ts'
import { patchPoll } from './polls.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

// Some tests draw two dozen cards.
setDefaultTimeout(120_000)

/** More than a vote and a card take on a slow machine, and less than a token lives. */
const TEN_MINUTES = 600_000

describe.each([...sampleEngines])('%s: the picture by which a page is shared', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  async function cardOf(path: string): Promise<{ url: string; bytes: Uint8Array; headers: Headers }> {
    const page = await (await fetch(service.service.url + path)).text()
    const [, url = ''] = /<meta property="og:image" content="([^"]*)">/.exec(page) ?? []
    const [, alike] = /<meta name="twitter:image" content="([^"]*)">/.exec(page) ?? []
    expect(alike).toBe(url)
    const { pathname, search } = new URL(url)
    expect(url).toStartWith(`${service.deps.config.publicUrl}${path}/card.jpg?v=`)
    const answer = await fetch(service.service.url + pathname + search)
    expect([path, answer.status, answer.headers.get('content-type')]).toEqual([path, 200, 'image/jpeg'])
    return { url, bytes: await answer.bytes(), headers: answer.headers }
  }

  const sizeOf = async (bytes: Uint8Array) => {
    const { width, height, format } = await new Bun.Image(bytes).metadata()
    return [width, height, format]
  }

  test('exists for a poll, a campaign and a brand, in the size that their pages declare', async () => {
    const poll = await service.createPoll(brand)
    const { campaignId } = await createCampaign(service, brand, [poll])
    for (const path of [`/p/${poll.shortId}`, `/c/${campaignId}`, `/b/${brand.slug}`]) {
      const page = await (await fetch(service.service.url + path)).text()
      for (const part of [
        '<meta property="og:image:width" content="1200">',
        '<meta property="og:image:height" content="630">',
        '<meta property="og:image:alt" content="',
        '<meta name="twitter:card" content="summary_large_image">',
      ])
        expect(page).toContain(part)
      const { bytes, headers } = await cardOf(path)
      expect(await sizeOf(bytes)).toEqual([1200, 630, 'jpeg'])
      expect(headers.get('cache-control')).toBe('public, max-age=3600')
    }
    for (const path of ['/p/none', `/c/${randomUUID()}`, '/b/none']) {
      expect((await service.get(`${path}/card.jpg`)).status).toBe(404)
    }
    const draft = await service.createPoll(brand, { isDraft: true })
    expect((await service.get(`/p/${draft.slug}/card.jpg`)).status).toBe(404)
  })

  test('with hidden results stays the same: votes change neither its bytes nor its address nor its ETag', async () => {
    for (const resultsVisibility of ['after_vote', 'after_close', 'never']) {
      const poll = await service.createPoll(brand, { resultsVisibility })
      const before = await cardOf(`/p/${poll.shortId}`)
      for (const option of ['A', 'B', 'B', 'B']) await service.vote(poll.slug, option)
      const after = await cardOf(`/p/${poll.shortId}`)
      expect([after.url, after.headers.get('etag')]).toEqual([before.url, before.headers.get('etag')])
      expect(after.bytes).toEqual(before.bytes)
      const plain = await fetch(`${service.service.url}/p/${poll.slug}/card.jpg`)
      expect(await plain.bytes()).toEqual(before.bytes)
    }
  })

  const shareResults = (value: 'SHOWN' | null) =>
    service.write('PATCH', 'brands/me/theme', { token: brand.token, json: { shareResults: value } })

  test('of an open poll shows no result until its brand wants it, and of a closed poll shows them', async () => {
    const poll = await service.createPoll(brand)
    const before = await cardOf(`/p/${poll.shortId}`)
    for (const option of ['A', 'A', 'B']) await service.vote(poll.slug, option)
    const open = await cardOf(`/p/${poll.shortId}`)
    expect([open.url, Bun.hash(open.bytes)]).toEqual([before.url, Bun.hash(before.bytes)])
    await shareResults('SHOWN')
    const shown = await cardOf(`/p/${poll.shortId}`)
    expect(shown.url).not.toBe(open.url)
    expect(shown.bytes).not.toEqual(open.bytes)
    await shareResults(null)
    expect((await cardOf(`/p/${poll.shortId}`)).bytes).toEqual(open.bytes)
    await patchPoll(service, brand, poll.slug, { archived: true })
    expect((await cardOf(`/p/${poll.shortId}`)).bytes).toEqual(shown.bytes)
  })

  test('of a closed tie differs from that of a winner, and says so', async () => {
    const poll = await service.createPoll(brand)
    for (const option of ['A', 'B']) await service.vote(poll.slug, option)
    await patchPoll(service, brand, poll.slug, { archived: true })
    const { data } = (await service.get<PollListItem>(`polls/${poll.slug}`)).body
    expect(pollCard(data)).toMatchObject({
      note: 'Dead heat',
      sides: [{ share: { length: 50 } }, { share: { length: 50 } }],
    })
    expect(pollCard({ ...data, status: 'open' }).note).toBeNull()
    expect(pollCard({ ...data, tallies: { optionA: 2, optionB: 1, total: 3 } }).note).toBeNull()
  })

  const shareOf = async (path: string, headers = {}) => {
    const page = await (await fetch(service.service.url + path, { headers })).text()
    const of = (pattern: RegExp) => pattern.exec(page)?.[1]?.replaceAll('&amp;', '&')
    return {
      picture: of(/<meta property="og:image" content="([^"]*)">/) ?? '',
      canonical: of(/<link rel="canonical" href="([^"]*)">/),
      address: of(/<meta property="og:url" content="([^"]*)">/),
      alt: of(/<meta property="og:image:alt" content="([^"]*)">/),
      body: page.slice(page.indexOf('<body>')),
    }
  }

  test('shows the side of the visitor who shares, in the language of the page, on a page that is otherwise the same', async () => {
    const poll = await service.createPoll(brand, { resultsVisibility: 'never' })
    const [plain, left, right] = [
      await shareOf(`/p/${poll.shortId}`),
      await shareOf(`/p/${poll.shortId}?side=A`),
      await shareOf(`/p/${poll.slug}?side=B&lang=de`),
    ]
    const origin = service.deps.config.publicUrl
    const address = `${origin}/p/${poll.shortId}`
    expect(left).toMatchObject({ canonical: address, address: `${address}?side=A`, body: plain.body })
    expect(left.alt).toContain('My answer: Tea')
    expect(right).toMatchObject({ canonical: address, address: `${address}?side=B` })
    expect(right.alt).toContain('Meine Antwort: Coffee')
    expect([plain.address, plain.alt]).toEqual([address, 'Tea or coffee? Tea · Coffee'])
    const drawn = async ({ picture }: { picture: string }) => {
      const answer = await fetch(picture.replace(origin, service.service.url))
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'public, max-age=3600'])
      return Bun.hash(await answer.bytes())
    }
    const cards = [await drawn(plain), await drawn(left), await drawn(right)]
    expect(new Set(cards).size).toBe(3)
    await service.vote(poll.slug, 'A')
    expect([await shareOf(`/p/${poll.shortId}?side=A`), await drawn(left)]).toMatchObject([
      { picture: left.picture },
      cards[1] as never,
    ])
    for (const wrong of ['C', 'a', '', 'AB'])
      expect((await shareOf(`/p/${poll.shortId}?side=${wrong}`)).picture).toBe(plain.picture)
    expect((await service.get(`/p/${poll.shortId}/card.jpg?side=C`)).status).toBe(422)
  })

  test('shows public results, changes its address with them in steps, and old addresses keep answering', async () => {
    await shareResults('SHOWN')
    const poll = await service.createPoll(brand)
    const path = `/p/${poll.shortId}`
    const none = await cardOf(path)
    await service.vote(poll.slug, 'A')
    const one = await cardOf(path)
    expect(one.url).not.toBe(none.url)
    expect(one.bytes).not.toEqual(none.bytes)
    for (let i = 0; i < 30; i++) await service.vote(poll.slug, 'A')
    const all = await cardOf(path)
    expect(all.url).toBe(one.url)
    await service.vote(poll.slug, 'B')
    const nearly = await cardOf(path)
    // A picture from the cache would deny the other side its vote.
    expect(nearly.url).not.toBe(all.url)
    expect(nearly.bytes).not.toEqual(all.bytes)
    expect(nearly.url).not.toBe(none.url)
    await service.vote(poll.slug, 'A')
    expect((await cardOf(path)).url).toBe(nearly.url)
    const { pathname, search } = new URL(none.url)
    const old = await fetch(service.service.url + pathname + search)
    expect(old.headers.get('cache-control')).toBe('public, max-age=60')
    expect(await old.bytes()).toEqual(nearly.bytes)
    const later = await service.createPoll(brand, {
      resultsVisibility: 'after_close',
      closesAt: new Date(service.clock.now() + TEN_MINUTES).toISOString(),
    })
    expect((await service.vote(later.slug, 'A')).status).toBe(201)
    const hidden = await cardOf(`/p/${later.shortId}`)
    service.clock.advance(TEN_MINUTES)
    expect((await cardOf(`/p/${later.shortId}`)).bytes).not.toEqual(hidden.bytes)
    service.clock.advance(-TEN_MINUTES)
    await shareResults(null)
  })

  async function picture(slot: 'optionA' | 'optionB', bytes: Uint8Array): Promise<string> {
    const file = { slot, contentType: 'image/png', bytes, width: 40, height: 30 } as const
    const key = await keepFile(service.db, service.deps, { brandKey: brand.brandKey, ...file })
    return `${service.deps.config.publicUrl}/files/${key}`
  }

  test('shows the pictures of the options, and leaves out one that is missing or unreadable', async () => {
    const good = await picture('optionA', paint({ width: 40, height: 30 }))
    const broken = await picture('optionB', new TextEncoder().encode('no picture'))
    const gone = await picture('optionB', paint({ width: 40, height: 30 }))
    const sizes: Uint8Array[] = []
    const bare = await service.createPoll(brand)
    for (const imageUrl of [broken, gone]) {
      const poll = await service.createPoll(brand, {
        optionA: { label: 'Tea', imageUrl: good },
        optionB: { label: 'Coffee', imageUrl },
      })
      if (imageUrl === gone) await service.deps.files.remove(gone.slice(gone.lastIndexOf('/') + 1))
      const { bytes } = await cardOf(`/p/${poll.shortId}`)
      expect(await sizeOf(bytes)).toEqual([1200, 630, 'jpeg'])
      sizes.push(bytes)
    }
    expect(sizes[0]).toEqual(sizes[1] as Uint8Array)
    expect(sizes[0]).not.toEqual((await cardOf(`/p/${bare.shortId}`)).bytes)
  })

  test('of a brand shows its logo, also an SVG, or else its name on its colour', async () => {
    const named = await cardOf(`/b/${brand.slug}`)
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><circle cx="20" cy="10" r="9" fill="#c00"/></svg>`
    const files = [
      { slot: 'logo_light', contentType: 'image/svg+xml', bytes: new TextEncoder().encode(svg), width: 40, height: 20 },
      { slot: 'logo_light', contentType: 'image/png', bytes: paint({ width: 40, height: 20 }), width: 40, height: 20 },
    ] as const
    const cards = [named.bytes]
    for (const file of files) {
      const key = await keepFile(service.db, service.deps, { brandKey: brand.brandKey, ...file })
      const json = { logoLightUrl: `${service.deps.config.publicUrl}/files/${key}` }
      expect((await service.write('PATCH', 'brands/me/theme', { token: brand.token, json })).status).toBe(200)
      cards.push((await cardOf(`/b/${brand.slug}`)).bytes)
    }
    expect(new Set(cards.map((bytes) => Bun.hash(bytes))).size).toBe(3)
    for (const bytes of cards) expect(await sizeOf(bytes)).toEqual([1200, 630, 'jpeg'])
    await service.write('PATCH', 'brands/me/theme', { token: brand.token, json: { logoLightUrl: null } })
  })

  test('of a brand whose logo takes too long to draw shows its name, and delays no other request', async () => {
    const named = (await cardOf(`/b/${brand.slug}`)).bytes
    const around = (inside: string) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20">${inside}</svg>`
    const bombs = [
      around(
        '<filter id="f"><feTurbulence numOctaves="100000"/></filter><rect width="40" height="20" filter="url(#f)"/>',
      ),
      around('<pattern id="p" width="1" height="1"><rect width="1" height="1"/></pattern><rect width="9" height="9"/>'),
      around('<rect width="40" height="20" style="mix-blend-mode:multiply"/>'.repeat(400)),
      around('<rect width="40" height="20" fill="#123456"/>'.repeat(2_000)),
    ]
    for (const svg of bombs) {
      const bytes = new TextEncoder().encode(svg)
      const file = { slot: 'logo_light', contentType: 'image/svg+xml', bytes, width: 40, height: 20 } as const
      const key = await keepFile(service.db, service.deps, { brandKey: brand.brandKey, ...file })
      const json = { logoLightUrl: `${service.deps.config.publicUrl}/files/${key}` }
      expect((await service.write('PATCH', 'brands/me/theme', { token: brand.token, json })).status).toBe(200)
      expect(Bun.hash((await cardOf(`/b/${brand.slug}`)).bytes)).toBe(Bun.hash(named))
    }
    await service.write('PATCH', 'brands/me/theme', { token: brand.token, json: { logoLightUrl: null } })
  })

  test('changes with the theme and with texts of any characters', async () => {
    const seen = new Set<string>()
    const note = async (poll: PollData) => {
      const { url, bytes } = await cardOf(`/p/${poll.shortId}`)
      expect(await sizeOf(bytes)).toEqual([1200, 630, 'jpeg'])
      seen.add(`${url} ${Bun.hash(bytes)}`)
    }
    const hostile = [
      '</text></svg><svg onload="x">',
      ']]>&#0;&lt;&xxe;',
      'W'.repeat(80),
      `a${'\u0301'.repeat(79)}`,
      '\u2066\ufffe\uffff',
      'お茶',
      '🍵',
      'x'.repeat(79).replaceAll('x', '\u{1f375}').slice(0, 80),
    ]
    for (const words of hostile) {
      const other = `${[...words].slice(1).join('')}!`
      await note(
        await service.createPoll(brand, { title: words, optionA: { label: words }, optionB: { label: other } }),
      )
    }
    const poll = await service.createPoll(brand)
    await note(poll)
    await service.write('PATCH', 'brands/me/theme', {
      token: brand.token,
      json: { accent: '#c2410c', hideWatermark: true },
    })
    await note(poll)
    expect(seen.size).toBe(hostile.length + 2)
    await service.write('PATCH', 'brands/me/theme', { token: brand.token, json: { accent: null, hideWatermark: null } })
  })

  test('has the words of every script that we speak, and differs by them alone', async () => {
    // By slug and shares nothing differs: only what is written.
    const drawn = async (title: string, label: string) => {
      const poll = await service.createPoll(brand, { title, optionA: { label }, optionB: { label: '1' } })
      return Bun.hash((await cardOf(`/p/${poll.shortId}`)).bytes)
    }
    for (const [one, other] of [
      ['お茶', 'コーヒー'],
      ['绿茶', '咖啡'],
      ['شاي', 'قهوة'],
      ['चाय', 'कॉफ़ी'],
      ['Чай', 'Кава'],
      ['🍵', '☕️'],
    ] as const) {
      const cards = [await drawn(one, one), await drawn(one, other), await drawn(other, one), await drawn(one, one)]
      expect([one, new Set(cards).size, cards[3]]).toEqual([one, 3, cards[0]])
    }
  })

  test('is drawn once for many requests at once, and votes are answered meanwhile', async () => {
    const poll = await service.createPoll(brand, { title: 'Asked for by many?' })
    const url = `${service.service.url}/p/${poll.slug}/card.jpg`
    const asked = Array.from({ length: 60 }, () => fetch(url).then((answer) => answer.bytes()))
    let isDrawn = false
    const drawing = Promise.all(asked).finally(() => {
      isDrawn = true
    })
    await service.vote(poll.slug, 'A')
    const isVotedFirst = !isDrawn
    const answers = await drawing
    expect(new Set(answers.map((bytes) => Bun.hash(bytes))).size).toBeLessThanOrEqual(2)
    expect(isVotedFirst).toBe(true)
  })
})
