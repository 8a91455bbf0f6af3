import { type Box, differing } from './differing.ts'
import type { Stage } from './stage.ts'

interface Measured {
  readonly covered: number
  readonly box: Box & { readonly width: number; readonly height: number }
  readonly words: Box
  readonly glyphs: readonly Box[]
  readonly fontSize: number
  readonly text: string
  readonly isMangled: boolean
  readonly picture: Box | null
  readonly page: { readonly width: number; readonly height: number }
}

interface Result {
  readonly share: number
  readonly length: number
  /** The filled part of the bar, as a percentage. */
  readonly filled: number
  readonly isLonger: boolean
  readonly figure: Box
  readonly isMarked: boolean
  readonly isChosen: boolean
}

interface Shown {
  readonly both: readonly [Measured, Measured]
  readonly results: readonly (Result | null)[]
}

interface Expected {
  readonly labels: readonly [string, string]
  /** Labels that a theme hides behind their pictures. */
  readonly areLabelsHidden?: boolean
}

const SEEN_CONTRAST = 3
/** The pixels of a label: a thin letter has more. */
const LEAST_INK = 12
const LEAST_RING = 200
/** Parts of a picture may be as bright as the background; it is visible if it differs in many places. */
const PICTURE_CONTRAST = 1.1
const LEAST_PICTURE = 2_000
const LEAST_SHARE_OF_PICTURE = 0.4
/** A poll that fills more than this cannot be seen at a glance. */
const MOST_HEIGHT = 2_500
const MOST_PAGE = 3_500
const TOLERANCE = 2
const ROOM_OF_RING = 8
/** The larger a number is written, the shorter its bar. */
const ROOM_OF_NUMBER = 40
const LEAST_LETTER = 0.2

export const ask = <T>({ page }: Stage, call: string): Promise<T> =>
  page.evaluate(`globalThis.poll.${call}`) as Promise<T>

/** The faults of the poll on the stage: both options must be shown in order, named, in view, and with a visible focus. */
export async function faultsOf(stage: Stage, expected: Expected): Promise<string[]> {
  const shown = await ask<Shown>(stage, 'shown()')
  const [a, b] = shown.both
  const places = [...placeFaults('A', a, expected), ...placeFaults('B', b, expected), ...orderFaults(a.box, b.box)]
  // Such a long page is too large for a screenshot.
  if (a.page.height > MOST_PAGE) return places
  const before = await stage.screenshot()
  const results = shown.results.filter((result) => result !== null)
  return [
    ...places,
    ...(await hiddenFaults(stage, shown, { before, expected })),
    ...resultFaults(results),
    ...(await focusFaults(stage, shown, before)),
    ...(await nameFaults(stage, expected)),
  ]
}

/** The bars and the mark agree with the numbers. */
function resultFaults(results: readonly Result[]): string[] {
  const [a, b] = results
  const areUnequal = a && b && Math.abs(a.length - b.length) > ROOM_OF_NUMBER
  const faults = results.flatMap(({ share, filled, isLonger, isMarked, isChosen }, i) => [
    ...(isLonger || Math.abs(filled - share) > 1 ? [`the bar of ${'AB'[i]} says ${filled}, not ${share}`] : []),
    ...(isMarked === isChosen ? [] : [`the mark of ${'AB'[i]} is wrong`]),
  ])
  return [...faults, ...(areUnequal ? [`a bar of ${a.length} beside one of ${b.length}`] : [])]
}

function placeFaults(name: 'A' | 'B', measured: Measured, { labels, areLabelsHidden }: Expected): string[] {
  const { box, covered, page, text } = measured
  const isOutside = box.left < 0 || box.right > page.width + 1 || box.top < 0 || box.bottom > page.height + 1
  return [
    ...(box.width < 100 || box.height < 40 ? [`${name} is only ${box.width} by ${box.height}`] : []),
    ...(isOutside ? [`${name} is outside of the page`] : []),
    ...(covered > 0 ? [`${name} is covered at ${covered} of 5 points`] : []),
    ...(box.bottom > MOST_HEIGHT ? [`${name} is ${box.bottom} pixels down`] : []),
    ...(page.height > MOST_PAGE ? [`the page of ${name} is ${page.height} pixels long`] : []),
    ...(text === labels[name === 'A' ? 0 : 1] ? [] : [`${name} is called ${text}`]),
    ...(areLabelsHidden ? [] : letterFaults(name, measured)),
  ]
}

function letterFaults(name: string, { box, fontSize, glyphs, isMangled, text }: Measured): string[] {
  const width = glyphs.reduce((sum, glyph) => sum + glyph.right - glyph.left, 0)
  return [
    ...(fontSize < 14 ? [`${name} has letters of ${fontSize} pixels`] : []),
    ...(width < LEAST_LETTER * fontSize * text.length ? [`${name} has its letters upon each other`] : []),
    ...(glyphs.some((glyph) => !isWithin(glyph, box)) ? [`${name} has letters outside of its button`] : []),
    ...(isMangled ? [`${name} has letters that are turned, hidden or backwards`] : []),
  ]
}

const isWithin = (inner: Box, outer: Box): boolean =>
  inner.left >= outer.left - TOLERANCE &&
  inner.right <= outer.right + TOLERANCE &&
  inner.top >= outer.top - TOLERANCE &&
  inner.bottom <= outer.bottom + TOLERANCE

/** Side by side or one below the other, without overlap. */
function orderFaults(a: Box, b: Box): string[] {
  const isBeside = a.right <= b.left + 30 && a.left < b.left && Math.abs(a.top - b.top) < 40
  const isBelow = a.bottom <= b.top + 30 && a.top < b.top && Math.abs(a.left - b.left) < 40
  return isBeside || isBelow ? [] : ['A does not stand before B']
}

interface Sight {
  readonly before: string
  readonly expected: Expected
}

/** Faults by the picture and the places of all its parts, because most stylesheets change neither. */
const foundBefore = new Map<number | bigint, readonly string[]>()

/** Faults of the labels, or the pictures, and of the numbers: hides them, and the pixels that change show that they were visible. */
async function hiddenFaults(stage: Stage, shown: Shown, sight: Sight): Promise<readonly string[]> {
  const key = Bun.hash(JSON.stringify([sight, shown.both, shown.results]))
  const faults = foundBefore.get(key) ?? [
    ...(await labelFaults(stage, shown, sight)),
    ...(await figureFaults(stage, shown, sight)),
  ]
  foundBefore.set(key, faults)
  return faults
}

async function labelFaults(stage: Stage, { both }: Shown, { before, expected }: Sight): Promise<string[]> {
  const without = await shotWithout(stage, expected.areLabelsHidden ? '.picture' : '.words')
  const faults = both.map(({ box, picture, words }, i) => {
    const name = 'AB'[i] ?? ''
    const place = picture ?? box
    return expected.areLabelsHidden
      ? unseen(`${name} has no picture to be seen`, leastOfPicture(place), [before, without, place, PICTURE_CONTRAST])
      : unseen(`${name} has no label to be seen`, LEAST_INK, [before, without, words, SEEN_CONTRAST])
  })
  return (await Promise.all(faults)).flat()
}

async function figureFaults(stage: Stage, { results }: Shown, { before }: Sight): Promise<string[]> {
  const figures = results.flatMap((result) => result?.figure ?? [])
  if (figures.length === 0) return []
  const without = await shotWithout(stage, '.figure')
  const faults = figures.map((figure, i) =>
    unseen(`the number of ${'AB'[i]} is not to be seen`, LEAST_INK, [before, without, figure, SEEN_CONTRAST]),
  )
  return (await Promise.all(faults)).flat()
}

async function shotWithout(stage: Stage, selector: string): Promise<string> {
  await ask(stage, `hide('${selector}', true)`)
  const shot = await stage.screenshot()
  await ask(stage, `hide('${selector}', false)`)
  return shot
}

/** Moves the focus: the pixels that change around an option are its ring. */
async function focusFaults(stage: Stage, { both }: Shown, before: string): Promise<string[]> {
  const faults: string[] = []
  for (const [i, { box }] of both.entries()) {
    const name = 'AB'[i] ?? ''
    const focused = await focusNext(stage)
    if (focused !== name) faults.push(`the focus is on ${focused} where ${name} comes`)
    const shot = await stage.screenshot()
    faults.push(
      ...(await unseen(`${name} has no ring of focus`, LEAST_RING, [before, shot, around(box), SEEN_CONTRAST])),
    )
  }
  return faults
}

/** The fault, unless so many pixels differ. */
async function unseen(fault: string, least: number, compared: Parameters<typeof differing>): Promise<string[]> {
  const count = await differing(...compared)
  return count < least ? [`${fault}: ${count} pixels`] : []
}

const leastOfPicture = ({ left, top, right, bottom }: Box): number =>
  Math.max(LEAST_PICTURE, LEAST_SHARE_OF_PICTURE * (right - left) * (bottom - top))

const around = ({ left, top, right, bottom }: Box): Box => ({
  left: left - ROOM_OF_RING,
  top: top - ROOM_OF_RING,
  right: right + ROOM_OF_RING,
  bottom: bottom + ROOM_OF_RING,
})

async function focusNext(stage: Stage): Promise<string | null> {
  await stage.page.keyboard.press('Tab')
  return ask(stage, 'focused()')
}

/** Faults in the names of the buttons as a screen reader finds them. */
async function nameFaults(stage: Stage, { labels }: Expected): Promise<string[]> {
  const tree = await stage.page.locator('#host').ariaSnapshot()
  await ask(stage, 'blur()')
  const names = [...tree.matchAll(/- button "([^"]*)"/g)].map((match) => match[1] ?? '')
  return names.length === 2 && names.every((name, i) => name.includes(labels[i] ?? '')) ? [] : [`buttons: ${names}`]
}
