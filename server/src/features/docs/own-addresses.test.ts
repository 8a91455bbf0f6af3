import { expect, test } from 'bun:test'
import { renderMarkdown } from './markdown.ts'

const TEXT = 'Open `http://127.0.0.1:3000/docs`, or:\n\n```sh\ncurl https://polls.example.com/livez\n```\n'

test('an address is put into the examples as it is, and escaped like every other text', () => {
  // Characters that a replacement and that HTML would take for something else.
  const publicUrl = "https://a$&b$'c.example"
  const shown = 'https://a$&amp;b$&#39;c.example'
  const page = renderMarkdown({ file: 'docs/guides/start.md', text: TEXT }, publicUrl)
  expect(page.body.toString()).toContain(`<code>${shown}/docs</code>`)
  expect(page.body.toString()).toContain(`curl ${shown}/livez`)
})
