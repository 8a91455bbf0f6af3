import { describe, expect, test } from 'bun:test'
import { bodyIn } from './chat-messages.ts'

const HOSTILE = '<!channel> @everyone @here *Tea* [or](https://evil.example) <b> & `coffee`?'

const closed = (fields: object = {}) =>
  JSON.stringify({
    type: 'poll.closed',
    timestamp: '2026-01-31T12:00:00.000Z',
    data: {
      poll: {
        title: HOSTILE,
        optionA: { label: 'Tea' },
        optionB: { label: '# Coffee' },
        tallies: { optionA: 1255, optionB: 243, total: 1498 },
        shareUrl: 'https://polls.example.com/p/Xk3_pQ9vZ2Lm',
        ...fields,
      },
      insight: { verdict: 'leading', leader: 'A' },
    },
  })

const sent = (format: string, payload = closed()) => JSON.parse(bodyIn(format, payload))

describe('a message to a chat', () => {
  test('of the standard format is the event, byte for byte', () => {
    expect(bodyIn('standard', closed())).toBe(closed())
  })

  test('to Slack has no markup and no mention', () => {
    expect(sent('slack')).toEqual({
      text: `Poll closed: &lt;!channel&gt; @everyone @here *Tea* [or](https://evil.example) &lt;b&gt; &amp; \`coffee\`?
Tea · # Coffee
Tea 83.8% (1,255), # Coffee 16.2% (243)
Tea leads by more than chance
https://polls.example.com/p/Xk3_pQ9vZ2Lm`,
      mrkdwn: false,
      unfurl_links: false,
    })
  })

  test('says nothing of chance where the votes are by codes', () => {
    expect(sent('slack', closed({ admission: 'code' })).text).not.toContain('chance')
  })

  test('to Discord escapes all markup and allows no mention', () => {
    const { content, allowed_mentions } = sent('discord')
    expect(allowed_mentions).toEqual({ parse: [] })
    const [title, labels, result, , link] = content.split('\n')
    expect(title).toContain('\\*Tea\\* \\[or\\]\\(https\\://evil.example\\)')
    expect([labels, result]).toEqual(['Tea · \\# Coffee', 'Tea 83.8% \\(1,255\\), \\# Coffee 16.2% \\(243\\)'])
    expect(link).toBe('https://polls.example.com/p/Xk3_pQ9vZ2Lm')
  })

  test('to Mattermost parts the sign of a mention from its name', () => {
    const { text } = sent('mattermost')
    expect(text).not.toMatch(/@(?:everyone|here|channel)/)
    expect(text).toContain('@\u200beveryone @\u200bhere')
  })

  test('to Teams is a card whose texts are plain runs', () => {
    const [{ contentType, content }] = sent('teams').attachments
    expect(contentType).toBe('application/vnd.microsoft.card.adaptive')
    expect(content.body.map((block: { inlines: unknown[] }) => block.inlines[0])).toEqual([
      { type: 'TextRun', text: `Poll closed: ${HOSTILE}`, weight: 'Bolder' },
      { type: 'TextRun', text: 'Tea · # Coffee', weight: 'Default' },
      { type: 'TextRun', text: 'Tea 83.8% (1,255), # Coffee 16.2% (243)', weight: 'Default' },
      { type: 'TextRun', text: 'Tea leads by more than chance', weight: 'Default' },
    ])
    expect(content.actions).toEqual([
      { type: 'Action.OpenUrl', title: 'Open the poll', url: 'https://polls.example.com/p/Xk3_pQ9vZ2Lm' },
    ])
  })

  test('tells what a large event has kept, and an event that it has no words for by its name', () => {
    expect(sent('slack', closed({ optionA: undefined })).text).not.toContain('Coffee 16')
    expect(sent('slack', closed({ tallies: { optionA: 0, optionB: 0, total: 0 } })).text).toContain('\nNo votes\n')
    expect(sent('slack', JSON.stringify({ type: 'poll.voted', data: {} })).text).toBe('poll.voted')
  })

  test('fits into the 2,000 characters of Discord with the longest title and labels', () => {
    const most = closed({
      title: '*'.repeat(200),
      optionA: { label: '*'.repeat(80) },
      optionB: { label: '*'.repeat(80) },
    })
    expect(sent('discord', most).content.length).toBeLessThan(2_000)
  })
})
