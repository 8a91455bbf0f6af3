import { expect, test } from 'bun:test'
import { areaOf, MIDDLE, movedBy, type Point, pointAt, pointIn } from './crop.ts'

const WIDE = { width: 600, height: 300 }
const at = (zoom: number, point: Point = MIDDLE) => ({ zoom, point })

test('without zoom all of the picture is kept, wherever the point is', () => {
  for (const point of [MIDDLE, pointAt(0, 1), pointAt(1, 0)])
    expect(areaOf(WIDE, at(1, point))).toEqual({ width: 600, height: 300, left: 0, top: 0 })
})

test('the kept part has the shape of the picture and is around the point, within the picture', () => {
  expect(areaOf(WIDE, at(2))).toEqual({ width: 300, height: 150, left: 150, top: 75 })
  expect(areaOf(WIDE, at(2, pointAt(0.3, 0.5)))).toMatchObject({ left: 30, top: 75 })
  expect(areaOf(WIDE, at(2, pointAt(0, 1)))).toMatchObject({ left: 0, top: 150 })
  expect(areaOf(WIDE, at(2, pointAt(1, 0)))).toMatchObject({ left: 300, top: 0 })
})

test('the point stays the same spot of the picture in the kept part', () => {
  expect(pointIn(WIDE, at(1, pointAt(0.2, 0.7)))).toEqual({ x: 0.2, y: 0.7 })
  expect(pointIn(WIDE, at(2))).toEqual(MIDDLE)
  // At 60 of 600 pixels, in a part that starts at 0 and is 300 wide.
  expect(pointIn(WIDE, at(2, pointAt(0.1, 0.5)))).toEqual({ x: 0.2, y: 0.5 })
  expect(pointIn(WIDE, at(4, pointAt(1, 1)))).toEqual({ x: 1, y: 1 })
})

test('arrow keys move the point in their direction, Home centres it, and it stays in the picture', () => {
  const key = (name: string, shiftKey = false) => ({ key: name, shiftKey })
  expect(movedBy(MIDDLE, key('ArrowLeft'))).toEqual({ x: 0.45, y: 0.5 })
  expect(movedBy(MIDDLE, key('ArrowDown', true))).toEqual({ x: 0.5, y: 0.7 })
  expect(movedBy(pointAt(0.99, 0.01), key('ArrowRight'))).toEqual({ x: 1, y: 0.01 })
  expect(movedBy(pointAt(0.99, 0.01), key('ArrowUp'))).toEqual({ x: 0.99, y: 0 })
  expect(movedBy(pointAt(0.1, 0.9), key('Home'))).toEqual(MIDDLE)
  for (const other of ['Tab', 'Enter', 'a', 'End']) expect(movedBy(MIDDLE, key(other))).toBeNull()
})

test('a point outside of the picture is at its edge, as precise as a hundredth', () => {
  expect(pointAt(-0.2, 1.7)).toEqual({ x: 0, y: 1 })
  expect(pointAt(0.123, 0.4567)).toEqual({ x: 0.12, y: 0.46 })
})
