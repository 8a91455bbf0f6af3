import { expect, test } from 'bun:test'
import { KeptCards } from './card.ts'

test('a card is drawn once for many callers, and again after a failure', async () => {
  const cards = new KeptCards()
  let drawn = 0
  const draw = async () => {
    // Real time: other requests arrive while the card is drawn.
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

test('a card whose drawing throws at once is drawn again for the next caller', async () => {
  const cards = new KeptCards()
  const refuse = () => {
    throw new Error('no')
  }
  for (let i = 0; i < 3; i++) await expect(cards.find('a', refuse)).rejects.toThrow('no')
  expect((await cards.find('a', async () => new Uint8Array([1]))).bytes.size).toBe(1)
})

test('a caller when too many wait gets 503', async () => {
  const cards = new KeptCards()
  const { promise, resolve } = Promise.withResolvers<Uint8Array>()
  const waiting = Array.from({ length: 32 }, (_, i) => cards.find(`card ${i}`, () => promise))
  expect(cards.find('one more', () => promise)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    headers: { 'Retry-After': '2' },
  })
  // A card that is already being drawn costs nothing more.
  const known = cards.find('card 3', () => promise)
  resolve(new Uint8Array([1]))
  await Promise.all([...waiting, known])
  expect((await cards.find('one more', () => promise)).bytes.size).toBe(1)
})

test('the cards kept are limited, and the most requested one stays', async () => {
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
