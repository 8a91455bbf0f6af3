import type { Page } from 'playwright-core'
import { CHOICE, type EmbedSite } from '../embed-site.ts'
import type { SceneName } from './scenes.ts'

/** The subjects by their names. */
export type Scenes = Readonly<Record<SceneName | 'campaign', string>>

export type Size = readonly [width: number, height: number]

/** Preferences that a system tells a page. */
type MediaOptions = NonNullable<Parameters<Page['emulateMedia']>[0]>

export interface Shot {
  readonly name: string
  /** The words beside the pictures in the guide. */
  readonly title: string
  /** On the third-party site if this is markup. */
  readonly at: (scenes: Scenes) => string
  readonly around?: MediaOptions
  readonly sizes?: readonly Size[]
  readonly act?: (page: Page, site: EmbedSite) => Promise<unknown>
  /** The element whose presence shows that the state is reached. */
  readonly until: string
}

export const PHONE: Size = [390, 740]
export const DESKTOP: Size = [1440, 760]
export const TALL: readonly Size[] = [
  [390, 1_800],
  [1440, 1_500],
]
export const DARK: MediaOptions = { colorScheme: 'dark' }
export const OPEN = 'article[data-state="open"]'
export const RESULTS = 'article[data-state~="results"]'
const ROOT = "document.querySelector('tossup-poll').shadowRoot"

export const choose = (choice: keyof typeof CHOICE) => (page: Page) => page.locator(CHOICE[choice]).first().click()

/** With what follows a vote: the remark, if its result has one, and the buttons. */
export const voteFor = (choice: keyof typeof CHOICE) => async (page: Page) => {
  await choose(choice)(page)
  await page.locator('nav.after').waitFor()
}

/** The field for a code. */
export const FIELD = '.code-input'

/** A code of the right form, which is in no list. */
export async function voteByCode(page: Page): Promise<void> {
  await page.locator(FIELD).fill('K7QM-2F8X-9RTA')
  await choose('A')(page)
}

/** The service's answer to a vote. */
export const COUNTED = {
  option: 'A',
  tallies: { optionA: 12, optionB: 9, total: 21 },
  votedAt: '2026-01-31T12:00:00.000Z',
}

/** Stops the toss after so many milliseconds. */
const TOSS = (atMs: number) => `new Promise((resolve) => {
  const root = ${ROOT}
  root.querySelector('[data-option="A"]').click()
  requestAnimationFrame(() => requestAnimationFrame(() => {
    for (const motion of root.getAnimations()) {
      motion.pause()
      motion.currentTime = ${atMs}
    }
    requestAnimationFrame(() => requestAnimationFrame(resolve))
  }))
})`

export const tossFor = (atMs: number) => async (page: Page) => {
  // The script that tosses the coin loads when a pointer is near.
  const part = page.waitForResponse(/parts\/after/)
  await page.locator(CHOICE.A).hover()
  await part
  await page.locator('.is-prepared').first().waitFor()
  await page.evaluate(TOSS(atMs))
}

export async function walkCampaign(page: Page, steps: number): Promise<void> {
  for (let step = 1; step <= steps; step++) {
    await page.getByText(`${step} / 3`, { exact: true }).waitFor()
    await choose(step === 2 ? 'B' : 'A')(page)
    await page.locator('.go-on').click()
  }
}

export const page =
  (name: SceneName, query = '') =>
  (scenes: Scenes) =>
    `/p/${scenes[name]}${query}`
export const campaign = ({ campaign: id }: Scenes) => `/c/${id}?autoAdvance=false`
export const element = (name: SceneName) => (scenes: Scenes) => `<tossup-poll poll="${scenes[name]}"></tossup-poll>`
export const demo = (slug: string) => () => `/p/${slug}`

/** Styles of a page of a third party, whose policy allows no style attributes. */
export const style = (css: Record<string, Record<string, string>>) => (site: Page) =>
  site.evaluate(
    `for (const [selector, styles] of Object.entries(${JSON.stringify(css)}))
      for (const element of document.querySelectorAll(selector)) Object.assign(element.style, styles)`,
  )

export const narrow = (width: number) => ({
  at: element('words'),
  sizes: [[width + 16, 640]] as readonly Size[],
  act: voteFor('A'),
  until: RESULTS,
})
