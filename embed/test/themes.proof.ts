import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { themePresets } from '../../sdk/src/theme-presets.ts'
import type { ThemeView } from '../src/poll-view.ts'
import { hasChromium, openBrowser } from './browser.ts'
import { ask, faultsOf } from './honesty.ts'
import { picturesPoll, plainTheme, wordsPoll } from './samples.ts'
import { Stage } from './stage.ts'

/** `UPDATE_SCREENSHOTS=1 npm test -- embed/test/themes.proof.ts` takes new screenshots for the guide. */
const isTaken = process.env['UPDATE_SCREENSHOTS'] === '1'
const folder = new URL('../../docs/guides/images/', import.meta.url)

const themes: Readonly<Record<string, ThemeView>> = {
  plain: plainTheme,
  ...Object.fromEntries(Object.entries(themePresets).map(([name, preset]) => [name, { ...plainTheme, ...preset }])),
}

/** In the scheme that a brand did not choose, a card has a dark tone of its accent, or is white. */
const CARDS: Readonly<Record<string, string>> = {
  'plain light': 'rgb(255, 255, 255)',
  'plain dark': 'rgb(25, 27, 37)',
  'clear light': 'rgb(255, 255, 255)',
  'clear dark': 'rgb(23, 28, 37)',
  'paper light': 'rgb(251, 247, 239)',
  'paper dark': 'rgb(36, 25, 21)',
  'midnight light': 'rgb(255, 255, 255)',
  'midnight dark': 'rgb(13, 19, 36)',
  'pop light': 'rgb(255, 244, 248)',
  'pop dark': 'rgb(36, 24, 27)',
}

describe.if(hasChromium)('a theme', () => {
  let browser: Browser
  let stage: Stage
  beforeAll(async () => {
    browser = await openBrowser()
    stage = await Stage.open(browser, { width: 400, height: 480 })
    if (isTaken) mkdirSync(folder, { recursive: true })
  }, 60_000)
  afterAll(() => browser.close())

  const labels = (poll: typeof picturesPoll): [string, string] => [poll.optionA.label, poll.optionB.label]
  const both = ['light', 'dark'] as const

  test.each(Object.keys(themes).flatMap((name) => both.map((scheme) => [name, scheme] as const)))(
    'is shown as it says, honestly, before and after a vote: %s, %s',
    async (name, scheme) => {
      const theme = themes[name] ?? plainTheme
      for (const poll of [picturesPoll, wordsPoll]) {
        for (const vote of [null, 'A'] as const) {
          await stage.show({ poll, theme, scheme, options: { vote } })
          expect(await faultsOf(stage, { labels: labels(poll) })).toEqual([])
        }
      }
      expect(await ask<string>(stage, "computed('.poll', 'background-color')")).toBe(CARDS[`${name} ${scheme}`] ?? '')
      await stage.show({ poll: picturesPoll, theme, scheme, options: { vote: name === 'plain' ? null : 'A' } })
      const path = fileURLToPath(new URL(`theme-${name}-${scheme}.jpg`, folder))
      if (isTaken) await stage.page.locator('#host').screenshot({ path, type: 'jpeg', quality: 70 })
    },
  )

  test.each(both)("has the scheme that the page sets, not the visitor's: %s", async (scheme) => {
    const other = scheme === 'light' ? 'dark' : 'light'
    await stage.show({
      poll: wordsPoll,
      theme: { ...plainTheme, colorScheme: scheme === 'light' ? 'LIGHT' : 'DARK' },
      scheme: other,
    })
    expect(await ask<string>(stage, "computed('.poll', 'background-color')")).toBe(CARDS[`plain ${scheme}`] ?? '')
  })

  test.each<[Partial<ThemeView>, string, string, string]>([
    [{ radius: 'NONE' }, '.option', 'border-top-left-radius', '0px'],
    [{ radius: 'SM' }, '.option', 'border-top-left-radius', '6px'],
    [{ radius: 'MD' }, '.option', 'border-top-left-radius', '12px'],
    [{ radius: 'LG' }, '.option', 'border-top-left-radius', '20px'],
    [{ radius: 'FULL' }, '.option', 'border-top-left-radius', '32px'],
    [{ density: 'COMFORTABLE' }, '.poll', 'padding-top', '14px'],
    [{ density: 'COMPACT' }, '.poll', 'padding-top', '12px'],
    [{ fontStack: 'SYSTEM' }, '.words', 'font-family', 'system-ui, sans-serif'],
    [{ fontStack: 'SERIF' }, '.words', 'font-family', 'ui-serif, Georgia, "Times New Roman", serif'],
    [{ fontStack: 'MONO' }, '.words', 'font-family', 'ui-monospace, Menlo, Consolas, monospace'],
    [
      { fontStack: 'ROUNDED' },
      '.words',
      'font-family',
      'ui-rounded, "SF Pro Rounded", Nunito, Quicksand, system-ui, sans-serif',
    ],
    [
      { fontStack: 'MANROPE' },
      '.words',
      'font-family',
      '"Tossup Manrope", "Tossup Manrope Fallback", system-ui, sans-serif',
    ],
    [{ labelAlign: 'START' }, '.words', 'text-align', 'left'],
    [{ labelAlign: 'CENTER' }, '.words', 'text-align', 'center'],
    [{ labelAlign: 'END' }, '.words', 'text-align', 'right'],
    [{ elevation: 'NONE' }, '.poll', 'box-shadow', 'none'],
    [{ elevation: 'LOW' }, '.poll', 'box-shadow', 'rgba(0, 0, 0, 0.12) 0px 1px 3px 0px'],
    [{ elevation: 'HIGH' }, '.poll', 'box-shadow', 'rgba(0, 0, 0, 0.18) 0px 6px 24px 0px'],
    [{ labelPlacement: 'HIDDEN' }, '.label', 'clip-path', 'inset(50%)'],
    [{ labelPlacement: 'OVERLAY' }, '.band', 'align-self', 'end'],
    [{ titlePlacement: 'HIDDEN' }, '.title', 'clip-path', 'inset(50%)'],
  ])('takes %j', async (theme, selector, property, value) => {
    await stage.show({ poll: picturesPoll, theme: { ...plainTheme, ...theme } })
    expect(await ask<string>(stage, `computed(${JSON.stringify(selector)}, '${property}')`)).toBe(value)
    const areLabelsHidden = theme.labelPlacement === 'HIDDEN'
    expect(await faultsOf(stage, { labels: ['Tea', 'Coffee'], areLabelsHidden })).toEqual([])
  })

  test.each(['.brand', '.title', '.options', '.label', '.foot', '.status', '.watermark'])(
    'draws no border around %s unless the theme has one',
    async (part) => {
      await stage.show({ poll: picturesPoll, theme: plainTheme, options: { vote: 'A' } })
      expect(await ask<string>(stage, `computed('${part}', 'border-width')`)).toBe('0px')
    },
  )

  test('gives the winner of a closed poll the colour of a choice, and the other one a quiet tone of it', async () => {
    await stage.show({ poll: { ...picturesPoll, status: 'closed' }, theme: plainTheme })
    const colour = (option: string) => ask<string>(stage, `computed('.option-${option} .bar', 'color')`)
    const { optionA, optionB } = picturesPoll.tallies
    const [winner, other] = optionA > optionB ? (['a', 'b'] as const) : (['b', 'a'] as const)
    expect([await colour(winner), await colour(other)]).toEqual(['rgb(137, 148, 255)', 'rgb(197, 202, 231)'])
    expect(await faultsOf(stage, { labels: labels(picturesPoll) })).toEqual([])
  })

  test('leaves no notch between a picture and the bar below it', async () => {
    await stage.show({ poll: picturesPoll, theme: plainTheme, options: { vote: 'A' } })
    for (const corner of ['top-left', 'top-right']) {
      expect(await ask<string>(stage, `computed('.band', 'border-${corner}-radius')`)).toBe('0px')
      expect(await ask<string>(stage, `computed('.bar', 'border-${corner}-radius')`)).toBe('0px')
    }
  })

  test('hides a label, or lays it over a picture, only where there is a picture', async () => {
    for (const labelPlacement of ['HIDDEN', 'OVERLAY'] as const) {
      await stage.show({ poll: wordsPoll, theme: { ...plainTheme, labelPlacement } })
      expect(await faultsOf(stage, { labels: ['Now', 'After lunch'] })).toEqual([])
    }
  })

  test('keeps long labels and right-to-left texts within their buttons', async () => {
    const long = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'
    const poll = {
      ...wordsPoll,
      optionA: { ...wordsPoll.optionA, label: long },
      optionB: { ...wordsPoll.optionB, label: 'אחרי ארוחת הצהריים' },
    }
    for (const theme of Object.values(themes)) {
      await stage.show({ poll, theme, options: { vote: 'B' } })
      expect(await faultsOf(stage, { labels: [long, 'אחרי ארוחת הצהריים'] })).toEqual([])
    }
  })
})
