import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { LAYER_ORDER } from '../../embed/src/layers.ts'
import { integrity, stylesheet } from '../../embed/src/stylesheet.ts'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { faultsOf } from '../../embed/test/honesty.ts'
import { hostileAround, hostileSheets, hostileToPictures, hostileToResults } from '../../embed/test/hostile-sheets.ts'
import { picturesPoll, plainTheme, wordsPoll } from '../../embed/test/samples.ts'
import { type Scene, Stage } from '../../embed/test/stage.ts'

const AT_ONCE = 3
const LONG = 300_000

const words = { poll: wordsPoll, theme: plainTheme, labels: ['Now', 'After lunch'] } as const
const pictures = {
  poll: picturesPoll,
  theme: { ...plainTheme, labelPlacement: 'HIDDEN' },
  labels: ['Tea', 'Coffee'],
  areLabelsHidden: true,
} as const

const voted = { ...words, options: { vote: 'A' } } as const

describe.if(hasChromium)('a stylesheet that was not checked', () => {
  let browser: Browser
  let stages: Stage[]
  beforeAll(async () => {
    browser = await openBrowser()
    stages = await Promise.all(Array.from({ length: AT_ONCE }, () => Stage.open(browser)))
  }, LONG)
  afterAll(() => browser.close())

  /** The faults of the poll under each stylesheet. A stylesheet without an entry caused none. */
  async function faultsUnder(
    sheets: Readonly<Record<string, string>>,
    {
      labels,
      areLabelsHidden = false,
      ...scene
    }: Scene & { labels: readonly [string, string]; areLabelsHidden?: boolean },
  ): Promise<Record<string, string[]>> {
    const waiting = Object.entries(sheets)
    const faults: Record<string, string[]> = {}
    const work = async (stage: Stage) => {
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        const [name, css] = next
        await stage.show({ ...scene, brandCss: `${LAYER_ORDER}\n@layer tossup.brand {${css}}` })
        const found = await faultsOf(stage, { labels, areLabelsHidden })
        if (found.length > 0) faults[name] = found
      }
    }
    await Promise.all(stages.map(work))
    return faults
  }

  test(
    'leaves both options visible, in order, named, and with a focus ring',
    async () => {
      expect(Object.keys(hostileSheets).length).toBeGreaterThan(90)
      expect(await faultsUnder(hostileSheets, words)).toEqual({})
    },
    LONG,
  )

  test(
    'leaves the wrapper around a poll alone',
    async () => {
      expect(await faultsUnder(hostileAround, words)).toEqual({})
      expect(await faultsUnder(hostileAround, voted)).toEqual({})
    },
    LONG,
  )

  test(
    'leaves results readable, bars as long as their shares, and the mark on the chosen option',
    async () => {
      expect(await faultsUnder(hostileToResults, voted)).toEqual({})
      const both = { ...pictures, options: voted.options, theme: plainTheme, areLabelsHidden: false }
      expect(await faultsUnder(hostileToResults, both)).toEqual({})
    },
    LONG,
  )

  test(
    'leaves both pictures visible where labels are hidden',
    async () => {
      expect(await faultsUnder(hostileToPictures, pictures)).toEqual({})
      expect(await faultsUnder(hostileToPictures, { ...pictures, options: voted.options })).toEqual({})
    },
    LONG,
  )

  test(
    'does harm without !important in those rules, so each of them is needed',
    async () => {
      const weak = { styles: stylesheet.replace(integrity, integrity.replaceAll('!important', '')) }
      expect(await faultsUnder({ nothing: '' }, { ...words, ...weak })).toEqual({})
      expect(await faultsUnder({ nothing: '' }, { ...pictures, ...weak })).toEqual({})
      const some = Object.fromEntries(Object.entries(hostileSheets).filter((_, i) => i % 3 === 0))
      const harmful = Object.keys(await faultsUnder(some, { ...words, ...weak }))
      expect(harmful.length).toBeGreaterThan(0.6 * Object.keys(some).length)
      const around = await faultsUnder(hostileAround, { ...words, ...weak })
      expect(Object.keys(hostileAround).filter((name) => !(name in around))).toEqual([])
      const toPictures = await faultsUnder(hostileToPictures, { ...pictures, options: voted.options, ...weak })
      expect(Object.keys(hostileToPictures).filter((name) => !(name in toPictures))).toEqual([])
      const toResults = await faultsUnder(hostileToResults, { ...voted, ...weak })
      expect(Object.keys(hostileToResults).filter((name) => !(name in toResults))).toEqual([])
    },
    LONG,
  )
})
