import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { faultsOf } from '../../embed/test/honesty.ts'
import { picturesPoll, plainTheme, wordsPoll } from '../../embed/test/samples.ts'
import { type Scene, Stage } from '../../embed/test/stage.ts'
import { readCss } from '../../server/src/features/brands/themes/css/read-css.ts'
import { Dice, randomCss } from '../../server/test/random-css.ts'

/** To try more: `RANDOM_CSS_SEED=7 RANDOM_CSS_SHEETS=500 npm test -- bench/proof/random-css-in-browser.proof.ts`. */
const seed = Number(process.env['RANDOM_CSS_SEED'] ?? 20_261_121)
const sheets = Number(process.env['RANDOM_CSS_SHEETS'] ?? 18)
const AT_ONCE = 2
const LONG = 120_000 * Math.max(1, sheets / 18)

type Shown = Scene & { labels: readonly [string, string]; areLabelsHidden?: boolean }

const scenes: readonly Shown[] = [
  { poll: wordsPoll, theme: plainTheme, labels: ['Now', 'After lunch'] },
  { poll: picturesPoll, theme: plainTheme, options: { vote: 'A' }, labels: ['Tea', 'Coffee'] },
  {
    poll: picturesPoll,
    theme: { ...plainTheme, labelPlacement: 'HIDDEN' },
    labels: ['Tea', 'Coffee'],
    areLabelsHidden: true,
  },
]

test('much of each is allowed and much is not, and what is printed is accepted again', () => {
  const dice = new Dice(seed)
  let [kept, refused] = [0, 0]
  for (let i = 0; i < 500; i++) {
    const { printed, problems } = readCss(randomCss(dice))
    const rules = printed.split('\n').slice(3, -2).join('\n')
    kept += rules.split(';').length
    refused += problems.length
    // Padding and columns are printed with functions that a brand may not write.
    expect(readCss(rules.replaceAll(/(padding[\w-]*|grid-template-columns):[^;}]*/g, 'color:red')).problems).toEqual([])
  }
  expect([kept > 1_000, refused > 1_000]).toEqual([true, true])
})

describe.if(hasChromium)(`random stylesheets, from seed ${seed}`, () => {
  let browser: Awaited<ReturnType<typeof openBrowser>>
  let stages: Stage[]
  beforeAll(async () => {
    browser = await openBrowser()
    stages = await Promise.all(Array.from({ length: AT_ONCE }, () => Stage.open(browser)))
  }, 60_000)
  afterAll(() => browser.close())

  async function faultsUnder(list: readonly string[]): Promise<{ css: string; found: string[] }[]> {
    const waiting = list.map((css, i) => ({ css, scene: scenes[i % scenes.length] as Shown }))
    const faults: { css: string; found: string[] }[] = []
    const work = async (stage: Stage) => {
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        const { labels, areLabelsHidden = false, ...scene } = next.scene
        await stage.show({ ...scene, brandCss: next.css })
        const found = await faultsOf(stage, { labels, areLabelsHidden })
        if (found.length > 0) faults.push({ css: next.css, found })
      }
    }
    await Promise.all(stages.map(work))
    return faults
  }

  test(
    'leave the poll honest as they are served',
    async () => {
      const dice = new Dice(seed)
      const list = Array.from({ length: sheets }, () => readCss(randomCss(dice)).printed)
      expect(await faultsUnder(list)).toEqual([])
    },
    LONG,
  )
})
