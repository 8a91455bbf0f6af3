import { expect, test } from 'bun:test'
import { areaOf, type Framing, MIDDLE, moved } from './crop.ts'

const WIDE = { width: 600, height: 300 }
const framing = (changed: Partial<Framing>): Framing => ({ ...MIDDLE, ...changed })

test('the part is as large as its shape allows, and in the middle', () => {
  expect(areaOf(WIDE, MIDDLE)).toEqual({ width: 300, height: 300, left: 150, top: 0 })
  expect(areaOf(WIDE, framing({ ratio: 2 }))).toEqual({ width: 600, height: 300, left: 0, top: 0 })
  expect(areaOf({ width: 300, height: 600 }, framing({ ratio: 1.5 }))).toEqual({
    width: 300,
    height: 200,
    left: 0,
    top: 200,
  })
})

test('its ends are those of the picture, at every zoom', () => {
  for (const zoom of [1, 1.5, 5]) {
    const { left, top, width, height } = areaOf(WIDE, framing({ zoom, across: 1, down: 1 }))
    expect([left + width, top + height]).toEqual([WIDE.width, WIDE.height])
    expect(areaOf(WIDE, framing({ zoom, across: 0, down: 0 }))).toMatchObject({ left: 0, top: 0 })
  }
})

test('a picture that is dragged follows the hand, and stops at its ends', () => {
  const zoomed = framing({ zoom: 2 })
  const before = areaOf(WIDE, zoomed)
  // A tenth of the frame to the right shows what is a tenth of the part further left.
  const after = areaOf(WIDE, moved(WIDE, zoomed, { across: 0.1, down: -0.1 }))
  expect(after.left).toBeCloseTo(before.left - 0.1 * before.width)
  expect(after.top).toBeCloseTo(before.top + 0.1 * before.height)
  expect(areaOf(WIDE, moved(WIDE, zoomed, { across: 10, down: 10 }))).toMatchObject({ left: 0, top: 0 })
  // Without room nothing moves.
  expect(moved(WIDE, framing({ ratio: 2 }), { across: 0.5, down: 0.5 })).toEqual(framing({ ratio: 2 }))
})
