import { expect, test } from 'bun:test'
import { followGuide, freePort } from './guides.ts'

test('the guide to pictures works as pasted', async () => {
  // A ticket's address is made from the port that was asked for: it must be a real one.
  const [poll = ''] = await followGuide('pictures.md', { PORT: String(await freePort()) })
  const { optionA, images } = JSON.parse(poll).data
  expect(optionA.imageUrl).toMatch(/\/files\/[\w-]+\.jpe?g$/)
  expect(images.optionA).toBe(optionA.imageUrl)
}, 60_000)
