import { ask } from './honesty.ts'
import type { Stage } from './stage.ts'

interface Truth {
  readonly shares: readonly [number, number]
  readonly chosen: 'A' | 'B'
}

/** A letter of the smallest size has more. */
const MOST_INK = 12
/** A mark has at least a square of 16 pixels. */
const LEAST_MARK = 24
const TOLERANCE = 4
/** Where a bar is full or empty, nothing changes along it; the ends of the scale say no more. */
const NEAR_AN_END = 3

const DRAWN = '.words, .figure, .bar, .fill, .mark, .picture'

/** Ways in which the picture of a result lies: bars, marks and anything else that is drawn into a choice. */
export async function pictureFaults(stage: Stage, { shares, chosen }: Truth): Promise<string[]> {
  const shown = await stage.screenshot()
  // The words stand on the bar: the bar is read without them.
  await ask(stage, "hide('.words, .figure, .mark', true)")
  const filled = await ask<(number | null)[]>(stage, `filled('${await stage.screenshot()}')`)
  await ask(stage, "hide('.words, .figure, .mark', false)")
  await ask(stage, "hide('.mark', true)")
  const marks = await ask<number[]>(stage, `marks('${shown}', '${await stage.screenshot()}')`)
  await ask(stage, `hide('${DRAWN}', true)`)
  const ink = await ask<number[]>(stage, `ink('${await stage.screenshot()}')`)
  await ask(stage, `hide('${DRAWN}', false)`)
  return (['A', 'B'] as const).flatMap((name, i) => {
    const isMarked = (marks[i] ?? 0) >= LEAST_MARK
    return [
      ...barFaults(name, shares[i] ?? 0, filled[i] ?? null),
      ...(isMarked === (name === chosen) ? [] : [`the mark of ${name} is ${isMarked ? 'shown' : 'missing'}`]),
      ...((ink[i] ?? 0) > MOST_INK ? [`something else is drawn into ${name}: ${ink[i]} pixels`] : []),
    ]
  })
}

function barFaults(name: string, share: number, seen: number | null): string[] {
  const isAtEnd = share <= NEAR_AN_END || share >= 100 - NEAR_AN_END
  if (isAtEnd || (seen !== null && Math.abs(seen - share) <= TOLERANCE)) return []
  return [`the bar of ${name} shows ${seen}, not ${share}`]
}
