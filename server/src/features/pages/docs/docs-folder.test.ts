import { expect, test } from 'bun:test'
import { DocsFolder } from './docs-folder.ts'
import { PUBLISHED, SERVICE } from './page-parts.ts'

test('an address is put into the examples as it is, and escaped like every other text', async () => {
  // Characters that a replacement and that HTML would take for something else.
  const folder = new DocsFolder("https://a$&b$'c.example")
  const shown = 'https://a$&amp;b$&#39;c.example'
  const page = await folder.complete(`<code>${SERVICE}/docs</code> curl ${PUBLISHED}/livez`)
  expect(page.text).toBe(`<code>${shown}/docs</code> curl ${shown}/livez`)
  const guide = await folder.find('/docs/start', {})
  expect(guide.body).toContain(`API=${shown}/api/rest/v1 `)
  const index = await folder.find('/docs/files/search.json', {})
  expect(index.body).toContain("API=https://a$&b$'c.example/api/rest/v1 ")
})
