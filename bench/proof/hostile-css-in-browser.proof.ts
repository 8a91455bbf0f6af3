import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { integrity, stylesheet } from '../../embed/src/theme/stylesheet.ts'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { faultsOf } from '../../embed/test/honesty.ts'
import {
  allowedOnPictures,
  allowedOnResults,
  allowedSheets,
  hostileAround,
  hostileSheets,
  hostileToPictures,
  hostileToResults,
} from '../../embed/test/hostile-sheets.ts'
import { lyingSheets } from '../../embed/test/lying-sheets.ts'
import { picturesPoll, plainTheme, wordsPoll } from '../../embed/test/samples.ts'
import { type Scene, Stage } from '../../embed/test/stage.ts'
import { readCss } from '../../server/src/features/brands/themes/css/read-css.ts'

const LONG = 300_000

type Sheets = Readonly<Record<string, string>>
type Shown = Scene & {
  readonly labels: readonly [string, string]
  readonly areLabelsHidden?: boolean
  readonly isUnread?: boolean
}

const words: Shown = { poll: wordsPoll, theme: plainTheme, labels: ['Now', 'After lunch'] }
const votedWords: Shown = { ...words, options: { vote: 'A' } }
const votedPictures: Shown = {
  poll: picturesPoll,
  theme: plainTheme,
  options: { vote: 'A' },
  labels: ['Tea', 'Coffee'],
}
const hiddenLabels: Shown = {
  poll: picturesPoll,
  theme: { ...plainTheme, labelPlacement: 'HIDDEN' },
  labels: ['Tea', 'Coffee'],
  areLabelsHidden: true,
}
/** With this stylesheet of ours, a brand's rules win. */
const styles = stylesheet.replace(integrity, integrity.replaceAll('!important', ''))

test('a stylesheet that lies is refused, all but one that changes nothing', () => {
  const accepted = Object.entries(lyingSheets).filter(([, css]) => readCss(css).problems.length === 0)
  expect(accepted.map(([name]) => name)).toEqual(['a full bar by its ground'])
})

test('a hostile stylesheet is refused, or uses allowed words only', () => {
  const all = Object.entries({ ...hostileSheets, ...hostileToResults, ...hostileToPictures })
  expect(all.length).toBeGreaterThan(120)
  const accepted = all.filter(([, css]) => readCss(css).problems.length === 0)
  expect(accepted.map(([name]) => name)).toEqual([
    'no display',
    'no display of the root',
    'letters in the blue of their ground',
    'no picture',
  ])
  for (const css of [allowedSheets, allowedOnResults, allowedOnPictures].flatMap((list) => Object.values(list)))
    expect({ css, problems: readCss(css).problems }).toEqual({ css, problems: [] })
})

describe.if(hasChromium)('a hostile stylesheet as it is served', () => {
  let browser: Browser
  let stage: Stage
  beforeAll(async () => {
    browser = await openBrowser()
    stage = await Stage.open(browser)
  }, LONG)
  afterAll(() => browser.close())

  /** The faults of the poll under each stylesheet. A stylesheet without an entry caused none. */
  async function faultsUnder(sheets: Sheets, { labels, areLabelsHidden = false, isUnread = false, ...scene }: Shown) {
    // Much of what is refused leaves the same rules, often none: they are shown once.
    const served = Map.groupBy(Object.entries(sheets), ([, css]) => (isUnread ? css : readCss(css).printed))
    const faults: Record<string, string[]> = {}
    for (const [brandCss, alike] of served) {
      await stage.show({ ...scene, brandCss })
      const found = await faultsOf(stage, { labels, areLabelsHidden })
      if (found.length > 0) for (const [name] of alike) faults[name] = found
    }
    return faults
  }

  test.each<[string, Sheets, Shown]>([
    ['both options are visible, in order, named, and with a focus ring', { ...hostileSheets, ...allowedSheets }, words],
    [
      'results of words are readable and true',
      { ...hostileToResults, ...lyingSheets, ...allowedOnResults },
      votedWords,
    ],
    ['so are results of pictures', { ...hostileToResults, ...lyingSheets, ...allowedOnResults }, votedPictures],
    ['options with results stay as they are', allowedSheets, votedPictures],
    ['both pictures are visible where labels are hidden', { ...hostileToPictures, ...allowedOnPictures }, hiddenLabels],
    [
      'and with their results',
      { ...hostileToPictures, ...allowedOnPictures },
      { ...hiddenLabels, ...{ options: { vote: 'A' } } },
    ],
  ])('%s', async (_, sheets, scene) => expect(await faultsUnder(sheets, scene)).toEqual({}), LONG)

  test.each([300, 900])(
    'the same holds where the page is %i pixels wide',
    async (width) => {
      const other = stage
      stage = await Stage.open(browser, { width, height: 700 })
      const faults = [await faultsUnder(allowedSheets, words), await faultsUnder(allowedOnResults, votedPictures)]
      await stage.page.close()
      stage = other
      expect(faults).toEqual([{}, {}])
    },
    LONG,
  )

  test(
    'cannot reach the wrapper around a poll, and our layer would protect it if it could',
    async () => {
      const unread = { ...words, isUnread: true }
      expect(await faultsUnder(hostileAround, unread)).toEqual({})
      expect(await faultsUnder(hostileAround, { ...votedWords, isUnread: true })).toEqual({})
      expect(Object.keys(await faultsUnder(hostileAround, { ...unread, styles }))).toHaveLength(
        Object.keys(hostileAround).length,
      )
      expect(Object.values(hostileAround).filter((css) => readCss(css).problems.length === 0)).toEqual([])
    },
    LONG,
  )

  test(
    'does harm without !important in the integrity layer',
    async () => {
      expect(await faultsUnder({ nothing: '' }, { ...words, styles })).toEqual({})
      expect(await faultsUnder({ nothing: '' }, { ...hiddenLabels, styles })).toEqual({})
      const harmful = [
        ...Object.keys(await faultsUnder(allowedSheets, { ...words, styles })),
        ...Object.keys(await faultsUnder(allowedOnResults, { ...votedWords, styles })),
        ...Object.keys(await faultsUnder(allowedOnPictures, { ...hiddenLabels, styles })),
      ]
      const all = [allowedSheets, allowedOnResults, allowedOnPictures].flatMap((list) => Object.keys(list))
      expect(harmful.length).toBeGreaterThan(0.5 * all.length)
    },
    LONG,
  )
})
