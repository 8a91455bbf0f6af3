import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { ask, faultsOf } from '../../embed/test/honesty.ts'
import { picturesPoll, plainTheme, wordsPoll } from '../../embed/test/samples.ts'
import { type Scene, Stage } from '../../embed/test/stage.ts'
import { readCss } from '../../server/src/features/brands/themes/css/read-css.ts'

const folder = new URL('../../server/test/stylesheets/', import.meta.url)

/**
 * Stylesheets as brands write them. The comment at the top names the poll and the expected result, and what is refused of a
 * stylesheet from before the list of what is allowed: the rest of it is still served.
 */
const sheets = readdirSync(folder).map((name) => ({ name, css: readFileSync(new URL(name, folder), 'utf8') }))

const saidIn = (css: string, word: string): string[] =>
  [...css.matchAll(new RegExp(`^ \\* ${word}: (.*)$`, 'gm'))].map((match) => match[1] ?? '')

function sceneOf(css: string): Scene & { labels: [string, string] } {
  const words = saidIn(css, 'Scene').join(' ').split(' ')
  const isOfWords = words.includes('words') || words.includes('voted')
  const poll = isOfWords ? wordsPoll : picturesPoll
  return {
    poll,
    theme: { ...plainTheme, labelPlacement: words.includes('overlay') ? 'OVERLAY' : 'BELOW' },
    options: { vote: words.includes('voted') ? 'A' : null },
    brandCss: readCss(css).printed,
    scheme: words.includes('dark') ? 'dark' : 'light',
    isMoving: words.includes('moving'),
    labels: [poll.optionA.label, poll.optionB.label],
  }
}

test('ordinary stylesheets are accepted, except for what their comment says', () => {
  expect(sheets.length).toBeGreaterThanOrEqual(30)
  for (const { name, css } of sheets) {
    const problems = readCss(css).problems.map(({ rule, line, column }) => `${rule} ${line}:${column}`)
    expect({ name, problems }).toEqual({ name, problems: saidIn(css, 'Refused') })
  }
  expect(sheets.filter(({ css }) => saidIn(css, 'Refused').length === 0).length).toBeGreaterThanOrEqual(28)
})

describe.if(hasChromium)('an ordinary stylesheet', () => {
  let browser: Awaited<ReturnType<typeof openBrowser>>
  const stages: Partial<Record<'wide' | 'narrow', Stage>> = {}
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  async function stageFor(css: string): Promise<Stage> {
    const kind = saidIn(css, 'Scene').join(' ').includes('narrow') ? 'narrow' : 'wide'
    const stage = stages[kind] ?? (await Stage.open(browser, { width: kind === 'narrow' ? 360 : 460, height: 800 }))
    stages[kind] = stage
    return stage
  }

  test.each(sheets.map(({ name, css }) => [name, css]))('shows, and leaves the poll honest: %s', async (_, css) => {
    const stage = await stageFor(css)
    const { labels, ...scene } = sceneOf(css)
    await stage.show(scene)
    expect(await faultsOf(stage, { labels })).toEqual([])
    const shown: string[] = []
    const wanted = saidIn(css, 'Shows')
    expect(wanted).not.toBeEmpty()
    for (const line of wanted) {
      const [place = '', property = ''] = line.split(' | ')
      const selector = place.replace(/^hover /, '')
      if (place.startsWith('hover ')) await stage.page.locator(selector).first().hover()
      const value = await ask<string>(stage, `computed(${JSON.stringify(selector)}, ${JSON.stringify(property)})`)
      shown.push([place, property, value].join(' | '))
      await stage.page.mouse.move(0, 0)
    }
    expect(shown).toEqual(wanted)
  })
})
