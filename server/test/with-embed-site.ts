import { afterAll, beforeAll, beforeEach } from 'bun:test'
import { EmbedSite, type Opening } from './embed-site.ts'

/** One site for the tests of a suite, and for each of them a visitor without any stored state; `begin` runs before each test. */
export function withEmbedSite(opening: Opening, begin: (site: EmbedSite) => unknown): void {
  let site: EmbedSite
  beforeAll(async () => {
    site = await EmbedSite.open(opening)
  }, 60_000)
  afterAll(() => site.close())
  beforeEach(async () => {
    await site.renew()
    await begin(site)
  })
}
