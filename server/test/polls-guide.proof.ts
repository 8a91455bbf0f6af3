import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createPollBody, ownedPoll, updatePollBody } from '../src/events/resources/poll.ts'
import { followGuide, hasCurl } from './guides.ts'

test.if(hasCurl)(
  'the guide to polls works as pasted',
  async () => {
    const [shareUrl = '', label, draft, published, ...more] = await followGuide('polls.md')
    expect(shareUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/p\/[\w-]{12}$/)
    expect([label, draft, published]).toEqual(['Savoury', '404', '200'])
    expect(more.slice(0, 8)).toEqual(['scheduled', 'scheduled', 'open', 'A', 'closed', 'POLST_CLOSED', 'open', '2'])
    expect(more.slice(8, 11)).toEqual(['2', 'true', '2'])
    expect(more[11]).toBe('Sweet or salty?')
    expect(more.slice(12, 15)).toEqual(['true', 'open', '404'])
    expect(more[15]).toMatch(/^<script type="module" src="http:\/\/127\.0\.0\.1:\d+\/embed\.js"><\/script>$/)
    expect(more[16]).toMatch(/^<tossup-poll poll="[\w-]{12}"><\/tossup-poll>$/)
    expect(more).toHaveLength(17)
  },
  120_000,
)

test('the guide to polls names every field of a poll', async () => {
  const guide = await readFile(join(import.meta.dir, '../../docs/guides/polls.md'), 'utf8')
  const fields = [createPollBody, updatePollBody, ownedPoll].flatMap(({ shape }) => Object.keys(shape))
  expect(fields.length).toBeGreaterThan(40)
  expect(fields.filter((field) => !guide.includes(`\`${field}\``))).toEqual([])
})
