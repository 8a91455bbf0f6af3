import { expect, test } from 'bun:test'
import { Room } from './receive-upload.ts'

/** Occupies a place until the test releases it. */
function enter(room: Room, brandKey: number) {
  const way = Promise.withResolvers<void>()
  const inside = room.within(async (belongsTo) => {
    belongsTo(brandKey)
    await way.promise
  })
  const isRefused = inside.then(
    () => false,
    (error) => error.code === 'UNAVAILABLE',
  )
  return { leave: way.resolve, isRefused }
}

const many = (room: Room, brandKey: number) => Array.from({ length: 128 }, () => enter(room, brandKey))

test('a brand uses at most half of the room, and all brands together no more than there is', async () => {
  const room = new Room()
  const [first] = many(room, 1)
  expect(await enter(room, 1).isRefused).toBe(true)
  many(room, 2)
  expect(await enter(room, 3).isRefused).toBe(true)
  first?.leave()
  await first?.isRefused
  const third = enter(room, 3)
  expect(await enter(room, 1).isRefused).toBe(true)
  third.leave()
  expect(await third.isRefused).toBe(false)
})

test('an upload that ends or is refused gives its room back', async () => {
  const room = new Room()
  for (let round = 0; round < 3; round++) {
    const inside = many(room, 1)
    expect(await enter(room, 1).isRefused).toBe(true)
    for (const { leave } of inside) leave()
    for (const { isRefused } of inside) expect(await isRefused).toBe(false)
  }
})
