import type { Stage } from './stage.ts'

interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

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
  const both = await ask<[Measured, Measured]>(stage, 'measure()')
  const [a, b] = both
  const places = [...placeFaults('A', a, expected), ...placeFaults('B', b, expected), ...orderFaults(a.box, b.box)]
  // Such a long page is too large for a screenshot.
  if (a.page.height > MOST_PAGE) return places
  const sight = await look(stage, both, expected)
  const results = await lookAtResults(stage, sight.last)
  const unseen = await unseenFaults(stage, [...sight.comparisons, ...results.comparisons])
  return [...places, ...sight.faults, ...results.faults, ...unseen, ...(await nameFaults(stage, expected))]
}

/** For visible results: the numbers are readable, and bars and mark agree with them. `before` shows the poll as it is now. */
async function lookAtResults(stage: Stage, before: string): Promise<Look> {
  const results = (await ask<(Result | null)[]>(stage, 'results()')).filter((result) => result !== null)
  if (results.length === 0) return { comparisons: [], faults: [] }
  await ask(stage, "hide('.figure', true)")
  const shot = await stage.screenshot()
  await ask(stage, "hide('.figure', false)")
  const comparisons = results.map(({ figure }, i) => {
    const fault = `the number of ${'AB'[i]} is not to be seen`
    return { before, shot, box: figure, least: LEAST_INK, fault }
  })
  const [a, b] = results
  const areUnequal = a && b && Math.abs(a.length - b.length) > ROOM_OF_NUMBER
  const faults = results.flatMap(({ share, filled, isLonger, isMarked, isChosen }, i) => [
    ...(isLonger || Math.abs(filled - share) > 1 ? [`the bar of ${'AB'[i]} says ${filled}, not ${share}`] : []),
    ...(isMarked === isChosen ? [] : [`the mark of ${'AB'[i]} is wrong`]),
  ])
  const unequal = areUnequal ? [`a bar of ${a.length} beside one of ${b.length}`] : []
  return { comparisons, faults: [...faults, ...unequal] }
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

/** A box must differ between two screenshots, or has the fault. */
interface Comparison {
  readonly before: string
  readonly shot: string
  readonly box: Box
  readonly ratio?: number
  readonly least: number
  readonly fault: string
}

interface Look {
  readonly comparisons: readonly Comparison[]
  readonly faults: readonly string[]
}

/** Removes something, or moves the focus: the pixels that change show that it was visible. */
async function look(
  stage: Stage,
  both: readonly Measured[],
  { areLabelsHidden }: Expected,
): Promise<Look & { readonly last: string }> {
  const before = await stage.screenshot()
  await ask(stage, `hide('${areLabelsHidden ? '.picture' : '.words'}', true)`)
  const without = await stage.screenshot()
  await ask(stage, `hide('${areLabelsHidden ? '.picture' : '.words'}', false)`)
  const comparisons: Comparison[] = []
  const faults: string[] = []
  let last = before
  for (const [i, { box, picture, words }] of both.entries()) {
    const name = 'AB'[i] ?? ''
    const focused = await focusNext(stage)
    if (focused !== name) faults.push(`the focus is on ${focused} where ${name} comes`)
    last = await stage.screenshot()
    comparisons.push(
      areLabelsHidden
        ? {
            before,
            shot: without,
            box: picture ?? box,
            ratio: PICTURE_CONTRAST,
            least: leastOfPicture(picture ?? box),
            fault: `${name} has no picture to be seen`,
          }
        : { before, shot: without, box: words, least: LEAST_INK, fault: `${name} has no label to be seen` },
      { before, shot: last, box: around(box), least: LEAST_RING, fault: `${name} has no ring of focus` },
    )
  }
  return { comparisons, faults, last }
}

const leastOfPicture = ({ left, top, right, bottom }: Box): number =>
  Math.max(LEAST_PICTURE, LEAST_SHARE_OF_PICTURE * (right - left) * (bottom - top))

/** All are compared in one call, because the page decodes each screenshot once for a call. */
async function unseenFaults(stage: Stage, comparisons: readonly Comparison[]): Promise<string[]> {
  const shots = [...new Set(comparisons.flatMap(({ before, shot }) => [before, shot]))]
  const pairs = comparisons.map(({ before, shot, box, ratio = SEEN_CONTRAST }) => {
    return { left: shots.indexOf(before), right: shots.indexOf(shot), box, ratio }
  })
  const counts = await ask<number[]>(stage, `differences(${JSON.stringify(shots)}, ${JSON.stringify(pairs)})`)
  return comparisons.flatMap(({ fault, least }, i) => {
    const count = counts[i] ?? 0
    return count < least ? [`${fault}: ${count} pixels`] : []
  })
}

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
