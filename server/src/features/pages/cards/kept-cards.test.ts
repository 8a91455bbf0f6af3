import { expect, test } from 'bun:test'
import { KeptCards } from './kept-cards.ts'

test('a card is drawn once, however many ask, and again when it failed', async () => {
  const cards = new KeptCards()
  let drawn = 0
  const draw = async () => {
    await Bun.sleep(5)
    if (++drawn === 1) throw new Error('no')
    return new Uint8Array([drawn])
  }
  const first = await Promise.allSettled(Array.from({ length: 50 }, () => cards.find('a', draw)))
  expect([drawn, new Set(first.map(({ status }) => status))]).toEqual([1, new Set(['rejected'])])
  const next = await Promise.all(Array.from({ length: 50 }, () => cards.find('a', draw)))
  expect([drawn, new Set(next.map(({ etag }) => etag)).size]).toEqual([2, 1])
  expect(await cards.find('a', draw)).toBe(next[0] as never)
})

test('a card that cannot even be begun is begun again for the next', async () => {
  const cards = new KeptCards()
  const refuse = () => {
    throw new Error('no')
  }
  for (let i = 0; i < 3; i++) await expect(cards.find('a', refuse)).rejects.toThrow('no')
  expect((await cards.find('a', async () => new Uint8Array([1]))).bytes.size).toBe(1)
})

test('who comes when too many wait is told to come again', async () => {
  const cards = new KeptCards()
  const { promise, resolve } = Promise.withResolvers<Uint8Array>()
  const waiting = Array.from({ length: 32 }, (_, i) => cards.find(`card ${i}`, () => promise))
  expect(cards.find('one more', () => promise)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    headers: { 'Retry-After': '2' },
  })
  // One that is being drawn already costs nothing more.
  const known = cards.find('card 3', () => promise)
  resolve(new Uint8Array([1]))
  await Promise.all([...waiting, known])
  expect((await cards.find('one more', () => promise)).bytes.size).toBe(1)
})

test('no more are kept than there is room for, and the one that is asked for most stays', async () => {
  const cards = new KeptCards(40)
  let drawn = 0
  const draw = async () => {
    drawn++
    return new Uint8Array(10)
  }
  for (const version of ['a', 'b', 'a', 'c', 'a', 'd', 'a', 'e', 'a', 'f', 'a']) await cards.find(version, draw)
  expect(drawn).toBe(6)
  await cards.find('b', draw)
  expect(drawn).toBe(7)
})
