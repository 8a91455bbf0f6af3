import { expect, test } from 'bun:test'
import { freePort } from './free-port.ts'
import { followGuide, hasCurl } from './guides.ts'

test.if(hasCurl)(
  'the guide to backups works as pasted',
  async () => {
    const lines = await followGuide('backup.md')
    expect(lines).toEqual([
      expect.stringMatching(
        /^Wrote the backup \S+ to \S+\/tossup\.tar: 252 votes, 5 polls, \d+ pictures, .+ in the backup\.$/,
      ),
      expect.stringMatching(/^No fault found: 252 votes, /),
      expect.stringMatching(/^No fault found: 252 votes, /),
      expect.stringMatching(/^Restored the backup \S+ of \S+: 252 votes, 5 polls\. /),
      expect.stringMatching(/^No fault found: 252 votes, /),
      expect.stringMatching(/^Wrote the backup \S+ to tossup-\d{8}T\d{9}Z\.tar in BACKUP_URL: 252 votes, /),
      expect.stringMatching(/^Wrote the brand corner-cafe to \S+\/corner-cafe\.tar: 5 polls, 1 campaign, 252 votes\.$/),
      expect.stringMatching(/^Imported the brand corner-cafe: 5 polls, 1 campaign, 252 votes\.$/),
    ])
  },
  60_000,
)

test.if(hasCurl)(
  'the guide to running a server works as pasted',
  async () => {
    const text = (await followGuide('run.md')).join('\n')
    expect(text).toMatch(/^Created the brand acme /)
    expect(text).toContain('\nfood  Food and drink  0 polls  ')
    expect(text).toMatch(/^ok {7}votes: 252 votes agree with the tallies of 5 polls\.$/m)
    expect(text).not.toContain('FAULT')
    expect(text).toContain('Usage: tossup category COMMAND')
    expect(text).toMatch(/\ntossup \d+\.\d+\.\d+ \((?:commit \w+, )?Bun /)
  },
  60_000,
)

test.if(hasCurl)(
  'the guide to settings works as pasted',
  async () => {
    const text = (await followGuide('settings.md')).join('\n')
    expect(text).toMatch(/^ok {7}settings: /m)
    expect(text).not.toContain('FAULT')
  },
  60_000,
)

test.if(hasCurl)(
  'the guide to watching a server works as pasted',
  async () => {
    const lines = await followGuide('watching.md', { METRICS_PORT: String(freePort()) })
    const text = lines.join('\n')
    expect(text).toMatch(/^tossup_votes_total\{outcome="accepted"\} 252$/m)
    expect(text).toMatch(/^200$/m)
    expect(text).toMatch(/^ok {7}votes: 252 votes agree with the tallies of 5 polls\.$/m)
    expect(text).toMatch(/^ok {7}webhooks: /m)
  },
  60_000,
)

test.if(hasCurl)(
  'the guide to upgrades works as pasted',
  async () => {
    const lines = await followGuide('upgrade.md')
    expect(lines).toEqual([
      expect.stringMatching(/^tossup \d+\.\d+\.\d+ \((?:commit \w+, )?Bun /),
      expect.stringMatching(/^No fault found: 252 votes, /),
      expect.stringMatching(/^Wrote the backup .+ 252 votes, /),
      'The schema is up to date.',
      ...[/^ok +database: /, /^ok +migrations: /, /^ok +votes: /].map((pattern) => expect.stringMatching(pattern)),
    ])
  },
  60_000,
)
