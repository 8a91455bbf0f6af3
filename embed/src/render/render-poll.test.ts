import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { picturesPoll, plainTheme, SITE, wordsPoll } from '../../test/samples.ts'
import type { PollView, RenderOptions, ThemeView } from '../poll-view.ts'
import { stylesheet } from '../theme/stylesheet.ts'
import { renderPoll } from './render-poll.ts'

const render = (poll: Partial<PollView> = {}, options: RenderOptions = {}, theme: Partial<ThemeView> = {}) =>
  renderPoll({ ...wordsPoll, ...poll }, { ...plainTheme, ...theme }, options)

const hiddenBy = (resultsVisibility: 'after_vote' | 'after_close' | 'never'): Partial<PollView> => ({
  tallies: { optionA: 0, optionB: 0, total: 0, hidden: true },
  resultsVisibility,
})

const buttonsIn = (markup: string): string[] => markup.match(/<button[\s\S]*?<\/button>/g) ?? []
const textIn = (markup: string): string =>
  markup
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

describe('a poll as HTML', () => {
  test('has two real buttons in order, each named by its label, in a group named by the title', () => {
    const markup = render()
    const [a = '', b = '', ...more] = buttonsIn(markup)
    expect(more).toEqual([])
    expect([textIn(a), textIn(b)]).toEqual(['Now', 'After lunch'])
    expect(a).toMatch(/^<button class="option option-a is-short" type="button" data-option="A">/)
    expect(b).toMatch(/^<button class="option option-b" type="button" data-option="B">/)
    const id = `tossup-${wordsPoll.id}`
    expect(markup).toContain(
      `<h2 class="title" id="${id}" dir="auto"><span class="text">Ship it now, or after lunch?</span></h2>`,
    )
    expect(markup).toContain(`role="group" aria-labelledby="${id}"`)
    expect(markup).toStartWith(`<article class="tossup" lang="en" dir="ltr" aria-labelledby="${id}"`)
  })

  test('shows the options in the order that was drawn: letters, results and the own vote stay with their option', () => {
    const optionA = { ...picturesPoll.optionA, shuffled: true } as const
    const poll: PollView = { ...picturesPoll, optionA, tallies: { optionA: 3, optionB: 1, total: 4 } }
    const [first = '', second = ''] = buttonsIn(renderPoll(poll, plainTheme, { vote: 'A', shown: 'BA' }))
    expect([first, second].map(textIn)).toEqual(['Coffee 25%', 'Tea 75%'])
    expect(first).toMatch(/^<button class="option option-b[^>]* data-option="B" aria-pressed="false"/)
    expect(second).toMatch(/^<button class="option option-a[^>]* is-leader[^>]* data-option="A" aria-pressed="true"/)
    expect(first).toContain('alt="A cup of coffee"')
    const drawn = (shown: 'AB' | 'BA' | undefined) =>
      buttonsIn(renderPoll(poll, plainTheme, { shown })).map((button) => /data-option="(.)"/.exec(button)?.[1])
    expect([drawn('AB'), drawn('BA'), drawn(undefined)]).toEqual([
      ['A', 'B'],
      ['B', 'A'],
      ['A', 'B'],
    ])
    expect(renderPoll(poll, plainTheme)).toContain(`aria-labelledby="tossup-${poll.id}" data-random>`)
    expect(renderPoll(picturesPoll, plainTheme)).not.toContain('data-random')
  })

  test('has a coin between words and pictures, which lies to the leader once there is a result', () => {
    const sideIn = (poll: PollView, options: RenderOptions) =>
      /<span class="or([^"]*)" aria-hidden="true"><span>or<\/span>/.exec(renderPoll(poll, plainTheme, options))?.[1]
    const counted = (optionA: number, optionB: number): PollView => ({
      ...picturesPoll,
      tallies: { optionA, optionB, total: optionA + optionB },
    })
    expect([wordsPoll, picturesPoll].map((poll) => sideIn(poll, {}))).toEqual(['', ''])
    expect([wordsPoll, picturesPoll].map((poll) => sideIn(poll, { vote: 'B' }))).toEqual([' is-first', ' is-first'])
    expect(sideIn(counted(1, 2), { vote: 'A' })).toBe(' is-second')
    expect(sideIn(counted(1, 2), { vote: 'A', shown: 'BA' })).toBe(' is-first')
    expect(sideIn(counted(2, 2), { vote: 'A' })).toBe(' is-tie')
    expect(sideIn(counted(2, 1), { vote: 'A', isKept: true })).toBe('')
    expect(sideIn({ ...counted(0, 0), status: 'closed' }, {})).toBe('')
    expect(sideIn({ ...wordsPoll, ...hiddenBy('never') }, { vote: 'A' })).toBe('')
  })

  test('holds nothing that a strict CSP blocks', () => {
    for (const poll of [wordsPoll, picturesPoll]) {
      for (const vote of [null, 'A', 'B'] as const) {
        const markup = renderPoll(poll, plainTheme, { vote })
        expect(markup).not.toMatch(/\sstyle=|<style|<script|\son\w+=|javascript:/i)
      }
    }
  })

  test.each<[string, Partial<PollView>, RenderOptions, string, string]>([
    ['open', {}, {}, 'open', 'Now After lunch 100 votes'],
    [
      'open without votes',
      { tallies: { optionA: 0, optionB: 0, total: 0 } },
      {},
      'open',
      'Now After lunch Be the first',
    ],
    [
      'one vote',
      { tallies: { optionA: 0, optionB: 1, total: 1 } },
      { vote: 'B' },
      'voted results',
      'Now 0% After lunch 100% 1 vote',
    ],
    ['voted', {}, { vote: 'A' }, 'voted results', 'Now 62% After lunch 38% 100 votes'],
    [
      'voted, hidden',
      { tallies: { optionA: 0, optionB: 0, total: 0, hidden: true } },
      { vote: 'A' },
      'voted',
      'Now After lunch Thanks for voting',
    ],
    [
      'open, hidden',
      { tallies: { optionA: 0, optionB: 0, total: 0, hidden: true } },
      {},
      'open',
      'Now After lunch Results are hidden',
    ],
    ['only voters see', hiddenBy('after_vote'), {}, 'open', 'Now After lunch Vote to see the results'],
    ['after the close', hiddenBy('after_close'), {}, 'open', 'Now After lunch Results when the poll closes'],
    [
      'after the close, voted',
      hiddenBy('after_close'),
      { vote: 'A' },
      'voted',
      'Now After lunch Results when the poll closes',
    ],
    ['never', hiddenBy('never'), {}, 'open', 'Now After lunch Results stay private'],
    [
      'with an end, on the server',
      { closesAt: '2030-01-02T10:00:00.000Z' },
      {},
      'open',
      'Now After lunch Closes Jan 2, 2030, 10:00 AM UTC · 100 votes',
    ],
    [
      'with an end, for a visitor',
      { closesAt: '2030-01-02T10:00:00.000Z' },
      { now: Date.parse('2029-12-30T11:00:00.000Z') },
      'open',
      'Now After lunch Closes in 3 days · 100 votes',
    ],
    ['closed', { status: 'closed' }, {}, 'closed results', 'Now 62% Winner After lunch 38% Closed · 100 votes'],
    [
      'closed, voted',
      { status: 'closed' },
      { vote: 'B' },
      'closed results',
      'Now 62% Winner After lunch 38% Closed · 100 votes',
    ],
    [
      'closed, hidden',
      { status: 'closed', tallies: { optionA: 0, optionB: 0, total: 0, hidden: true } },
      {},
      'closed',
      'Now After lunch Closed · Results are hidden',
    ],
    [
      'scheduled',
      { status: 'scheduled', opensAt: '2030-01-02T10:00:00.000Z' },
      {},
      'scheduled',
      'Now After lunch Opens Jan 2, 2030, 10:00 AM UTC',
    ],
    ['scheduled, unsaid', { status: 'scheduled' }, {}, 'scheduled', 'Now After lunch Not open yet'],
    [
      'edited',
      { revisedAt: '2030-01-02T10:00:00.000Z' },
      {},
      'open',
      'Now After lunch 100 votes · edited after the first vote',
    ],
  ])('says how it stands: %s', (_, poll, options, state, text) => {
    const markup = render(poll, { ...options, hideBrand: true, hideTitle: true }, { hideWatermark: true })
    expect(markup).toContain(`data-state="${state}"`)
    expect(textIn(markup).replace(wordsPoll.title, '').replace(' or ', ' ').trim()).toBe(text)
  })

  test('enables its buttons only while it is open and not voted on, and marks the chosen option', () => {
    const attributes = (poll: Partial<PollView>, options: RenderOptions) =>
      buttonsIn(render(poll, options)).map((button) => /data-option="."([^>]*)>/.exec(button)?.[1])
    expect(attributes({}, {})).toEqual(['', ''])
    const chosen = [' aria-pressed="true" aria-disabled="true"', ' aria-pressed="false" aria-disabled="true"']
    expect(attributes({}, { vote: 'A' })).toEqual(chosen)
    expect(attributes({ status: 'closed' }, { vote: 'A' })).toEqual(chosen)
    expect(attributes({ status: 'closed' }, {})).toEqual([' aria-disabled="true"', ' aria-disabled="true"'])
    expect(attributes({ status: 'scheduled' }, {})).toEqual([' aria-disabled="true"', ' aria-disabled="true"'])
  })

  test('shows shares that add up to a hundred, and bars as long as the exact shares', () => {
    for (let a = 0; a <= 40; a++) {
      const markup = render({ tallies: { optionA: a, optionB: 40 - a, total: 40 } }, { vote: 'A' })
      const shares = [...markup.matchAll(/class="figure">(\d+)%/g)].map((match) => Number(match[1]))
      expect([shares.length, (shares[0] ?? 0) + (shares[1] ?? 0)]).toEqual([2, 100])
      expect([...markup.matchAll(/x2="([\d.]+)"/g)].map((match) => Number(match[1]))).toEqual([2.5 * a, 100 - 2.5 * a])
    }
    const [a = '', b = ''] = buttonsIn(render({}, { vote: 'B' }))
    expect([a.includes('class="mark"'), b.includes('class="mark"')]).toEqual([false, true])
    expect(render().includes('class="mark')).toBe(false)
  })

  test('shows both sides their votes, in the form of the language, and a bar that can be seen', () => {
    const tallies = { optionA: 2_999, optionB: 1, total: 3_000 }
    const [a = '', b = ''] = buttonsIn(render({ tallies }, { vote: 'B', lang: 'de' }))
    expect([a, b].map((button) => /class="figure">([^<]*)/.exec(button)?.[1])).toEqual([
      '&gt;99,9\u00a0%',
      '&lt;0,1\u00a0%',
    ])
    expect([a, b].map((button) => /x2="([\d.]+)"/.exec(button)?.[1])).toEqual(['99', '1'])
  })

  test('prepares the parts of a result without the result, only where a vote would show one', () => {
    const prepared = (poll = {}, options = {}) => render(poll, { isPrepared: true, ...options })
    const parts = (markup: string) => [...markup.matchAll(/class="(bar|figure|mark)"/g)].map((match) => match[1])
    const tallies = { optionA: 30, optionB: 10, total: 40 }
    const markup = prepared({ tallies })
    expect(parts(markup)).toEqual(['figure', 'mark', 'bar', 'figure', 'mark', 'bar'])
    expect(markup).not.toMatch(/is-leader|aria-pressed|results|75|25%/)
    const buttons = (seconds: number) =>
      buttonsIn(prepared({ tallies: { optionA: seconds, optionB: 1, total: seconds + 1 } }))
    expect(buttons(1)).toEqual(buttons(99))
    expect(parts(prepared({ tallies: { optionA: 0, optionB: 0, total: 0, hidden: true } }))).toEqual([])
    for (const status of ['scheduled', 'closed'] as const) expect(prepared({ status })).not.toContain('is-prepared')
    expect(prepared({ tallies }, { vote: 'A' })).toBe(render({ tallies }, { vote: 'A' }))
    expect(prepared({ tallies }, { vote: 'A', isKept: true })).not.toContain('class="figure"')
  })

  test('marks the leader of results that are shown, and names the winner of a closed poll', () => {
    const leader = (poll: Partial<PollView>, options: RenderOptions = {}) =>
      buttonsIn(render(poll, options)).map((button) => `${button.includes('is-leader')} ${button.includes('Winner')}`)
    expect(leader({})).toEqual(['false false', 'false false'])
    expect(leader({}, { vote: 'B' })).toEqual(['true false', 'false false'])
    expect(leader({ status: 'closed' })).toEqual(['true true', 'false false'])
    const tallies = { optionA: 2, optionB: 2, total: 4 }
    expect(leader({ status: 'closed', tallies })).toEqual(['false false', 'false false'])
  })

  test('has the theme in attributes, and the layout in the order of its elements', () => {
    const markup = render(
      {},
      { lang: 'de' },
      {
        colorScheme: 'DARK',
        radius: 'FULL',
        density: 'COMPACT',
        fontStack: 'MONO',
        labelPlacement: 'OVERLAY',
        labelAlign: 'END',
        elevation: 'NONE',
      },
    )
    expect(markup).toContain('lang="de"')
    for (const [name, value] of Object.entries({
      scheme: 'dark',
      radius: 'full',
      density: 'compact',
      font: 'mono',
      label: 'overlay',
      align: 'end',
      elevation: 'none',
    })) {
      expect(markup).toContain(`data-${name}="${value}"`)
    }
    const isAbove = (text: string) => text.indexOf('<h2') < text.indexOf('<button')
    expect([isAbove(render()), isAbove(render({}, {}, { titlePlacement: 'BELOW' }))]).toEqual([true, false])
    expect(render({}, {}, { titlePlacement: 'HIDDEN' })).toContain('<h2 class="title out-of-sight"')
    expect(render({}, { hideTitle: true })).toContain('<h2 class="title out-of-sight"')
    expect([render().includes('watermark'), render({}, {}, { hideWatermark: true }).includes('watermark')]).toEqual([
      true,
      false,
    ])
  })

  test('shows the brand by its logo, in the scheme that is shown, or by its name', () => {
    const [light, dark] = [`${SITE}/light.svg`, `${SITE}/dark.svg`]
    const brandIn = (theme: Partial<ThemeView>, options: RenderOptions = {}) =>
      /<p class="brand"[\s\S]*?<\/p>/.exec(render({}, options, theme))?.[0]
    expect(brandIn({})).toBe('<p class="brand" dir="auto"><span class="text">Corner Café</span></p>')
    expect(brandIn({}, { hideBrand: true })).toBeUndefined()
    expect(render({ brand: null })).not.toContain('class="brand"')
    const both = { logoLightUrl: light, logoDarkUrl: dark }
    expect(brandIn(both)).toContain(
      `<source srcset="${dark}" media="(prefers-color-scheme: dark)"><img class="logo" src="${light}" alt="Corner Café">`,
    )
    expect(brandIn({ ...both, colorScheme: 'DARK' })).toContain(`<picture><img class="logo" src="${dark}"`)
    expect(brandIn({ ...both, colorScheme: 'LIGHT' })).toContain(`<picture><img class="logo" src="${light}"`)
    expect(brandIn({ logoDarkUrl: dark })).toContain(`<picture><img class="logo" src="${dark}"`)
    expect(brandIn({ logoLightUrl: 'javascript:alert(1)' })).toBe(
      '<p class="brand" dir="auto"><span class="text">Corner Café</span></p>',
    )
  })

  test('shows the pictures of each option with their widths, or else the combined picture', () => {
    const [a = ''] = buttonsIn(renderPoll(picturesPoll, plainTheme))
    expect(a).toContain('class="option option-a has-picture"')
    expect(a).toContain(`src="${SITE}/tea.webp" srcset="${SITE}/tea.webp 640w" sizes="`)
    expect(a).toContain('alt="A cup of tea"')
    const odd = { url: `${SITE}/a b,c.webp`, width: 320, slot: 'optionA' } as const
    const more = render({ ...picturesPoll, imageVariants: [...picturesPoll.imageVariants, odd] })
    expect(more).toContain(`srcset="${SITE}/tea.webp 640w, ${SITE}/a%20b%2Cc.webp 320w"`)
    const combined = `${SITE}/both.webp`
    expect(render({ images: { combined } })).toMatch(
      /<span class="frame"><img class="picture" [^>]*src="[^"]*both.webp"[^>]* alt=""[\s\S]*<button/,
    )
    expect(render({ ...picturesPoll, images: { combined } })).not.toContain('both.webp')
    for (const imageUrl of ['javascript:alert(1)', 'data:text/html,x', '//evil.test/x', 'x.png', '']) {
      const markup = render({ optionA: { label: 'Now', imageUrl, imageAlt: null } })
      expect(markup).not.toContain('<img')
      expect(markup).not.toContain('has-picture')
    }
  })

  test('escapes every text, wherever it stands', () => {
    const nasty = fc.string({
      unit: fc.constantFrom('<', '>', '"', "'", '&', '/', ' ', 'a', '\u202e', '`', '${', '\n'),
      maxLength: 12,
    })
    const tags = (markup: string) => [...markup.matchAll(/<\/?([a-z0-9]+)/g)].map((match) => match[1]).join(' ')
    const plain = renderPoll({ ...picturesPoll, status: 'scheduled', opensAt: '2030-01-01T00:00:00Z' }, plainTheme)
    fc.assert(
      fc.property(
        fc.record({ title: nasty, id: nasty, label: nasty, alt: nasty, name: nasty, lang: fc.constant('en') }),
        ({ title, id, label, alt, name, lang }) => {
          const option = { label, imageUrl: `https://x/${title}`, imageAlt: alt }
          const variants = [
            { url: `https://x/${label}`, width: 1, slot: 'optionA' as const },
            { url: `https://x/${alt}`, width: 1, slot: 'optionB' as const },
          ]
          const poll = {
            ...picturesPoll,
            title,
            id,
            optionA: option,
            optionB: option,
            imageVariants: variants,
            brand: { name },
            status: 'scheduled',
            opensAt: '2030-01-01T00:00:00Z',
          } as const
          expect(tags(renderPoll(poll, plainTheme, { lang }))).toBe(tags(plain))
        },
      ),
    )
  })

  test('says of a picture how it lies in its frame, in attributes and in steps of 5 %', () => {
    const placed = (place: Partial<PollView['optionA']>) =>
      /data-fit[^>]*data-at="[^"]*"/.exec(
        render({ ...picturesPoll, optionA: { ...picturesPoll.optionA, ...place } }),
      )?.[0]
    expect(placed({})).toBe('data-fit="" data-at="10 10"')
    expect(placed({ fit: 'cover', focusX: 0, focusY: 1 })).toBe('data-fit="cover" data-at="0 20"')
    expect(placed({ fit: 'contain', focusX: 0.333, focusY: 0.98 })).toBe('data-fit="contain" data-at="7 20"')
    for (let step = 0; step <= 20; step++) {
      expect(stylesheet).toContain(`[data-at^="${step} "]{--tossup-x:${5 * step}%}`)
      expect(stylesheet).toContain(`[data-at$=" ${step}"]{--tossup-y:${5 * step}%}`)
    }
    const combined = `${SITE}/both.webp`
    expect(render({ images: { combined } })).not.toContain('data-at')
  })

  test.each([
    ['🍕', 'is-emoji'],
    ['🍣 🥢', 'is-emoji'],
    ['❤️', 'is-emoji'],
    ['👍🏽👎🏿', 'is-emoji'],
    ['👨‍👩‍👧‍👦', 'is-emoji'],
    ['🏳️‍🌈🇺🇦🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}', 'is-emoji'],
    ['🍕🍕🍕🍕', 'is-short'],
    ['🍕 pizza', 'is-short'],
    ['100', 'is-short'],
    ['#', 'is-short'],
    ['Mozzarella', 'is-short'],
    ['Mozzarellas', ''],
    ['Stay in bed until noon, really', 'is-long'],
  ])('tells emoji, long names and short ones from others: %s', (label, name) => {
    const [a = ''] = buttonsIn(render({ optionA: { label, imageUrl: null, imageAlt: null } }))
    expect(/class="option option-a ?([^"]*)"/.exec(a)?.[1]).toBe(name)
    // A picture has the room, and its name is a line below it.
    const pictured = render({ ...picturesPoll, optionA: { ...picturesPoll.optionA, label } })
    expect(pictured).not.toMatch(/is-emoji|is-long|is-short/)
  })

  test('writes decimals and bounds smaller, so that they have the room of whole numbers', () => {
    const fine = (optionA: number, optionB: number, lang = 'en') =>
      [...render({ tallies: { optionA, optionB, total: optionA + optionB } }, { vote: 'A', lang }).matchAll(/is-fine/g)]
        .length
    expect([fine(62, 38), fine(12, 0), fine(62, 38, 'de'), fine(62, 38, 'ar')]).toEqual([0, 0, 0, 0])
    expect([fine(2_999, 1), fine(497, 503), fine(2_999, 1, 'de'), fine(2_999, 1, 'ar')]).toEqual([2, 2, 2, 2])
  })

  test('marks a vote that has not arrived, and does not count it', () => {
    const markup = render({}, { vote: 'A', isKept: true })
    expect(markup).toContain('data-state="waiting"')
    expect(textIn(markup)).not.toContain('%')
    expect(textIn(markup)).toContain('Not sent yet')
    expect(buttonsIn(markup).map((button) => button.includes('aria-pressed="true"'))).toEqual([true, false])
  })

  test('loads the first pictures eagerly and others lazily, and reserves room for each', () => {
    const images = (isFirst: boolean) =>
      renderPoll(picturesPoll, plainTheme, { isFirst }).match(/<img class="picture"[^>]*>/g)
    for (const image of images(true) ?? []) {
      expect(image).toContain('fetchpriority="high"')
      expect(image).not.toContain('loading=')
    }
    for (const image of images(false) ?? []) {
      expect(image).toContain('loading="lazy"')
      expect(image).not.toContain('fetchpriority')
    }
    expect(images(false)).toHaveLength(2)
    for (const image of images(false) ?? []) expect(image).toMatch(/ width="288" height="288"/)
  })
})
