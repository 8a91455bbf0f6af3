import { expect, test } from 'bun:test'
import { freePort } from './free-port.ts'
import { followGuide, hasCurl } from './guides.ts'

// spec: 4.6-5
test.if(hasCurl)(
  'the guide to pictures works as pasted',
  async () => {
    // An upload URL contains the configured port, so it must be a real one.
    const [poll = '', alt, file] = await followGuide('pictures.md', { PORT: String(freePort()) })
    const { optionA, images } = JSON.parse(poll).data
    expect(optionA.imageUrl).toMatch(/\/files\/[\w-]+\.jpe?g$/)
    expect(images.optionA).toBe(optionA.imageUrl)
    expect([alt, file]).toEqual(['A poll, tea or coffee', '200 image/jpeg'])
  },
  60_000,
)
