import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { BRAND_LAYER, LAYER_ORDER } from '../../embed/src/layers.ts'
import { integrity, stylesheet } from '../../embed/src/stylesheet.ts'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { lyingSheets } from '../../embed/test/lying-sheets.ts'
import { pictureFaults } from '../../embed/test/picture-faults.ts'
import { picturesPoll, plainTheme, wordsPoll } from '../../embed/test/samples.ts'
import { Stage } from '../../embed/test/stage.ts'
import { printCss } from '../../server/src/features/themes/css/print-css.ts'
import { cssProblems, parseCss } from '../../server/src/features/themes/css/read-css.ts'
import { Dice, randomCss } from '../../server/test/random-css.ts'

/** To try more: `RANDOM_CSS_SEED=7 RANDOM_CSS_SHEETS=500 npm test -- --proof bench/proof/lying-css-in-browser.proof.ts`. */
const seed = Number(process.env['RANDOM_CSS_SEED'] ?? 20_261_122)
const sheets = Number(process.env['RANDOM_CSS_SHEETS'] ?? 20)
const LONG = 300_000

const polls = [wordsPoll, picturesPoll] as const
const truth = { shares: [62, 38], chosen: 'A' } as const

const printed = (css: string): string => printCss(parseCss(css))
const unread = (css: string): string => `${LAYER_ORDER}\n@layer ${BRAND_LAYER}{${css}}`
/** A brand may tilt its choices by a few degrees, which changes no length, but the reader measures level bars alone. */
const level = `${stylesheet}\n@layer tossup.integrity { .tossup .option { rotate: 0deg !important } }`
/** With this stylesheet of ours, a brand's rules win. */
const weak = stylesheet.replace(integrity, integrity.replaceAll('!important', ''))

describe.if(hasChromium)('the picture of a result', () => {
  let browser: Browser
  let stage: Stage
  beforeAll(async () => {
    browser = await openBrowser()
    stage = await Stage.open(browser)
  }, LONG)
  afterAll(() => browser.close())

  /** The faults of the first picture that has any. */
  async function faultsUnder(brandCss: string, styles = level): Promise<string[]> {
    for (const poll of polls) {
      for (const scheme of ['light', 'dark'] as const) {
        await stage.show({ poll, theme: plainTheme, options: { vote: 'A' }, brandCss, scheme, styles })
        const found = await pictureFaults(stage, truth)
        if (found.length > 0) return found
      }
    }
    return []
  }

  test(
    'is true without a stylesheet of a brand',
    async () => {
      expect(await faultsUnder('')).toEqual([])
    },
    LONG,
  )

  test(
    'is true under every stylesheet that is made to lie and is not refused',
    async () => {
      const lies: Record<string, string[]> = {}
      for (const [name, css] of Object.entries(lyingSheets)) {
        if (cssProblems(css).length > 0) continue
        const found = await faultsUnder(printed(css))
        if (found.length > 0) lies[name] = found
      }
      expect(lies).toEqual({})
    },
    LONG,
  )

  test(
    'is seen to lie under most of them where nothing is refused and no rule of ours wins, so the reader is not blind',
    async () => {
      const unseen: string[] = []
      for (const [name, css] of Object.entries(lyingSheets)) {
        if ((await faultsUnder(unread(css), weak)).length === 0) unseen.push(name)
      }
      expect(unseen.length).toBeLessThan(0.3 * Object.keys(lyingSheets).length)
    },
    LONG,
  )

  test(
    `is true under random stylesheets, from seed ${seed}`,
    async () => {
      const dice = new Dice(seed)
      const lies: { css: string; found: string[] }[] = []
      for (let i = 0; i < sheets; i++) {
        const css = randomCss(dice)
        const found = await faultsUnder(printed(css))
        if (found.length > 0) lies.push({ css, found })
      }
      expect(lies).toEqual([])
    },
    LONG,
  )
})
