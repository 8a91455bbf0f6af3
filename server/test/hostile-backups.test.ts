import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { BackupHead } from '../src/backup/archive.ts'
import type { Row } from '../src/backup/table-rows.ts'
import { restoreBackup } from '../src/cli/backup/restore-backup.ts'
import { readConfig } from '../src/config/config.ts'
import { openDatabase } from '../src/db/open.ts'
import { createCampaign } from './campaigns.ts'
import { newPlace, type Place, TEST_SECRET, tossupJson } from './command.ts'
import { engines } from './engines.ts'
import {
  archiveBytes,
  asPart,
  type Forged,
  firstPart,
  readForged,
  rowsIn,
  withEntry,
  withRows,
} from './forged-archive.ts'
import { SharedIsolation } from './isolation/shared-isolation.ts'
import { photo } from './pictures.ts'
import { startTestService } from './service.ts'
import { upload } from './uploads.ts'
import { createWebhook } from './webhooks.ts'

// Processes start slowly on a busy machine.
setDefaultTimeout(60_000)

type Backup = Forged<BackupHead>
type Fault = (sound: Backup) => Backup

const first =
  (table: string, changes: Row): Fault =>
  (sound) =>
    withRows(sound, table, ([row, ...others]) => [{ ...row, ...changes }, ...others])
const all =
  (table: string, change: (row: Row, at: number, rows: readonly Row[]) => Row): Fault =>
  (sound) =>
    withRows(sound, table, (rows) => rows.map(change))
const file =
  (name: string, bytes: Uint8Array): Fault =>
  (sound) =>
    withEntry(sound, name, bytes)

/** Each with what the error says of its place and its rule. */
const faults: Readonly<Record<string, readonly [Fault, RegExp]>> = {
  'an unknown table': [
    file(firstPart('sqlite_schema'), asPart('')),
    /"rows\/sqlite_schema\/1\.jsonl\.gz", which is unknown/,
  ],
  'the migrations as rows': [
    file(firstPart('migrations'), asPart('')),
    /"rows\/migrations\/1\.jsonl\.gz", which is unknown/,
  ],
  'a table with a path': [file('rows/../apps/1.jsonl.gz', asPart('')), /which is unknown/],
  'a file beside the others': [file('extra.txt', Buffer.from('x')), /"extra\.txt", which is unknown/],
  'a picture with a path': [file('files/../secret.key', photo(4, 4)), /files: Must be names of pictures/],
  'a picture that no row names': [
    file(`files/${'q'.repeat(32)}.png`, photo(4, 4)),
    /Must be named by a row of rows\/files/,
  ],
  'an unknown column': [first('apps', { 'x"; drop': 1 }), /rows\/apps\/1, row 1, x"; drop: Unknown field/],
  'a missing column': [all('apps', ({ secret_hash, ...row }) => row), /rows\/apps\/1, row 1, secret_hash: Required/],
  'a text in place of a number': [
    first('apps', { created_at: '1' }),
    /rows\/apps\/1, row 1, created_at: Must be a whole number/,
  ],
  'a number in place of a text': [first('webhooks', { events: 1 }), /rows\/webhooks\/1, row 1, events: Must be a text/],
  'bytes that are none': [
    first('apps', { secret_hash: 'xyz' }),
    /rows\/apps\/1, row 1, secret_hash: Must be bytes in hexadecimal/,
  ],
  'nothing where something must be': [
    first('apps', { scopes: null }),
    /rows\/apps\/1, row 1, scopes: Must not be null/,
  ],
  'a time beyond years': [first('apps', { created_at: 9e15 }), /rows\/apps\/1, row 1, created_at: .*years 0 to 9999/],
  'U+0000': [first('people', { name: 'a\0b' }), /rows\/people\/1, row 1, name: Must not contain U\+0000/],
  'an id that is none': [first('apps', { id: '../x' }), /rows\/apps\/1, row 1, id: Must be a UUID/],
  'a webhook to a file': [
    first('webhooks', { url: 'file:///etc/passwd' }),
    /rows\/webhooks\/1, row 1, url: Must be an http/,
  ],
  'a role that is none': [first('members', { role: 'root' }), /rows\/members\/1, row 1: Must fit the rows before it/],
  'a member of no brand': [
    first('members', { brand_key: 999 }),
    /rows\/members\/1, row 1: Must fit the rows before it/,
  ],
  'one key twice': [
    (sound) => withRows(sound, 'apps', (rows) => [...rows, ...rows]),
    /rows\/apps\/1, row \d: Must fit the rows before it/,
  ],
  'an avatar by script': [
    first('brands', { avatar_url: 'javascript:alert(1)' }),
    /rows\/brands\/1, row 1, avatar_url: Must be an https URL/,
  ],
  'a theme that is none': [
    first('brands', { theme: '{"accent":"red;}"}' }),
    /rows\/brands\/1, row 1, theme\.accent: Must be a colour/,
  ],
  'a device of another size': [first('votes', { device: 'abcd' }), /rows\/votes\/1, row 1, device: Must be 16 bytes/],
  'a third option': [first('votes', { option: 'C' }), /rows\/votes\/1, row 1, option: /],
  'votes on no poll': [
    first('votes', { poll_key: 999 }),
    /rows\/votes, the row of "999", poll_key: Must be one of the archive/,
  ],
  'tallies that lie': [first('tallies', { option_a: 7 }), /The tally of poll [\w-]+ is 7:/],
  'positions with a gap': [
    all('votes', (row) => ({ ...row, position: Number(row['position']) + 1 })),
    /The votes of poll [\w-]+ are at positions from 2 to \d, with a gap or a repeat/,
  ],
  'two votes of one device': [
    all('votes', (row, _, rows) => ({ ...row, device: rows[0]?.['device'] })),
    /rows\/votes(\/1, row 2|.*at most one vote on a poll)/,
  ],
  'a poll of another brand in a campaign': [
    (sound) => first('campaign_polls', { poll_key: foreignPoll(sound) })(sound),
    /rows\/campaign_polls, the row of "\d+", poll_key: Must be a poll of the brand of the campaign/,
  ],
  'a picture of another brand': [
    (sound) =>
      withRows(sound, 'polls', (rows) => rows.map((row) => ({ ...row, image_a: rowsIn(sound, 'files')[0]?.['key'] }))),
    /rows\/polls, the row of "\d+", image_a: Must be a picture of the archive for optionA/,
  ],
  'a number of rows that is not that of the manifest': [
    (sound) => ({ ...sound, facts: { ...sound.facts, counts: { ...sound.facts.counts, polls: 1 } } }),
    /rows\/polls: Must have 1 rows, as the manifest says/,
  ],
  'a migration to come': [
    (sound) => ({ ...sound, head: { ...sound.head, migrations: ['9999-later.sql'] } }),
    /whose schema is newer .*9999-later\.sql/,
  ],
  'the format of earlier versions': [
    (sound) => ({ ...sound, head: { ...sound.head, format: 1 as never, version: '0.1.0' } }),
    /restore or import it with Tossup 0\.1\.0, upgrade that service/,
  ],
}

const foreignPoll = (sound: Backup): unknown => {
  const [step] = rowsIn(sound, 'campaign_polls')
  const polls = rowsIn(sound, 'polls')
  const own = polls.find(({ key }) => key === step?.['poll_key'])
  return polls.find(({ brand_key }) => brand_key !== own?.['brand_key'])?.['key']
}

async function* chunked(bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
}

describe.each([...engines])('%s: a backup from anybody', (engine) => {
  let from: Place
  let to: Place
  let sound: Backup
  const css = '.poll { border-style: dashed; }'
  const config = () => readConfig({ ...to.settings, SECRET_KEY: TEST_SECRET })
  const isolation = new SharedIsolation()
  afterAll(() => isolation.close())
  const restoring = (bytes: Uint8Array) => restoreBackup({ config: config(), isolation }, chunked(bytes))

  beforeAll(async () => {
    ;[from, to] = [await newPlace('sqlite'), await newPlace(engine)]
    const settings = { ...from.settings, SECRET_KEY: TEST_SECRET }
    const service = await startTestService('sqlite', { settings, keepsData: true })
    const [brand, other] = [await service.createBrand(), await service.createBrand()]
    const poll = await service.createPoll(brand)
    await service.createPoll(other)
    const picture = await upload(service, brand, { slot: 'optionA', contentType: 'image/png', bytes: photo(40, 30) })
    const change = (path: string, json: object) => service.write('PATCH', path, { token: brand.token, json })
    expect((await change(`brands/me/polls/${poll.slug}`, { optionA: { imageUrl: picture.publicUrl } })).status).toBe(
      200,
    )
    expect((await change('brands/me/theme', { customCss: css })).status).toBe(200)
    await createCampaign(service, brand, [poll])
    await createWebhook(service, brand)
    for (const option of ['A', 'B', 'B']) await service.vote(poll.slug, option)
    await service.stop()
    await tossupJson(
      ['member', 'invite', '--brand', brand.slug, '--email', 'a@example.com', '--role', 'owner'],
      settings,
    )
    const path = join(from.dataDir, 'backup.tar')
    await tossupJson(['backup', path], settings)
    sound = await readForged<BackupHead>(path, 'backup')
    const person = {
      id: crypto.randomUUID(),
      email: 'b@example.com',
      email_key: 'b@example.com',
      created_at: 1,
      key: 1,
    }
    const [{ key: brand_key } = {}] = rowsIn(sound, 'brands')
    sound = withRows(sound, 'people', () => [person])
    sound = withRows(sound, 'members', () => [{ brand_key, person_key: 1, role: 'owner', created_at: 1 }])
    sound = inOrder(sound)
  })
  afterAll(async () => {
    await from.clear()
    await to.clear()
  })

  /** Entries that were added come where a backup would have them: before the rows that refer to them. */
  function inOrder(backup: Backup): Backup {
    const added = ['people', 'members'].map(firstPart)
    const rest = [...backup.entries].filter(([name]) => !added.includes(name))
    const at = rest.findIndex(([name]) => name === firstPart('brands')) + 1
    const own = added.map((name) => [name, backup.entries.get(name) ?? new Uint8Array()] as const)
    return { ...backup, entries: new Map([...rest.slice(0, at), ...own, ...rest.slice(at)]) }
  }

  test.each(Object.entries(faults))('with %s is refused, and nothing of it stays', async (_, [fault, said]) => {
    const message = await restoring(await archiveBytes(fault(sound))).then(
      () => 'restored',
      (error) => error.message,
    )
    expect(message).toMatch(said)
    expect(existsSync(join(to.dataDir, 'restoring'))).toBe(false)
    expect(readdirSync(to.dataDir).filter((name) => name !== 'serve.lock')).toEqual([])
  })

  test('with a changed byte or a missing end is refused, and nothing of it stays', async () => {
    const bytes = await archiveBytes(sound)
    for (let i = 1; i < 7; i++) {
      const changed = Buffer.from(bytes)
      const at = Math.floor(((bytes.length - 1_024) * i) / 7)
      changed[at] = (changed[at] ?? 0) ^ 0x10
      await expect(restoring(changed)).rejects.toThrow()
      await expect(restoring(bytes.subarray(0, at))).rejects.toThrow(/incomplete/)
    }
    expect(readdirSync(to.dataDir).filter((name) => name !== 'serve.lock')).toEqual([])
  }, 180_000)

  test('brings stylesheets as today’s rules print them, leaves a damaged picture out, and keeps its texts', async () => {
    const [picture = ''] = [...sound.entries.keys()].filter((name) => name.startsWith('files/'))
    const forged = [
      first('theme_styles', { css: '.tossup { display: none }', source: `${css} .poll { position: fixed }` }),
      first('polls', { title: 'Tea\u001b[2J', title_folded: 'as it was' }),
      file(picture, Buffer.from('not a picture')),
    ].reduce((backup, change) => change(backup), sound)
    const restored = await restoring(await archiveBytes(forged))
    expect(restored?.missingFiles).toContain(picture.slice('files/'.length))
    const { engine: opened } = await openDatabase(config())
    try {
      const styles = await opened.db.selectFrom('theme_styles').select('css').executeTakeFirstOrThrow()
      expect(styles.css).toContain('border-style:dashed')
      expect(styles.css).not.toMatch(/display:\s*none|position:\s*fixed/)
      const titles = await opened.db.selectFrom('polls').select('title').execute()
      expect(titles.map(({ title }) => title)).toContain('Tea\u001b[2J')
    } finally {
      await opened.close()
    }
  })
})
