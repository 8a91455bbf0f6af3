import { expect, test } from 'bun:test'
import { Turns } from './turns.ts'

test('so many run at once, and the others come in the order in which they asked', async () => {
  const turns = new Turns(2)
  const started: number[] = []
  let running = 0
  let most = 0
  await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      turns.run(async () => {
        started.push(i)
        most = Math.max(most, ++running)
        await Bun.sleep(1)
        running--
      }),
    ),
  )
  expect(most).toBe(2)
  expect(started).toEqual(Array.from({ length: 20 }, (_, i) => i))
})

test('a failure gives its turn on, and is told to whom it belongs', async () => {
  const turns = new Turns(1)
  const failed = turns.run(async () => {
    await Bun.sleep(1)
    throw new Error('broken')
  })
  const next = turns.run(async () => 'fine')
  await expect(failed).rejects.toThrow('broken')
  expect(await next).toBe('fine')
  expect(await turns.run(async () => 'still')).toBe('still')
})
