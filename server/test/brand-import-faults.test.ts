import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Row } from '../src/backup/table-rows.ts'
import { systemClock } from '../src/base/clock.ts'
import { importBrand } from '../src/cli/backup/import-brand.ts'
import { readConfig } from '../src/config/config.ts'
import { type Opened, openDatabase } from '../src/db/open.ts'
import { createCampaign } from './campaigns.ts'
import { newPlace, type Place, TEST_SECRET, tossupJson } from './command.ts'
import { sampleEngines } from './engines.ts'
import {
  archiveBytes,
  asPart,
  type BrandArchive,
  firstPart,
  readBrandArchive,
  withEntry,
  withRows,
} from './forged-archive.ts'
import { SharedIsolation } from './isolation/shared-isolation.ts'
import { jpegOf, photo, svg, webpOf, withExif } from './pictures.ts'
import { startTestService } from './service.ts'
import { upload } from './uploads.ts'

// Processes start slowly on a busy machine.
setDefaultTimeout(60_000)

const CSS = '.poll { border-style: dashed; }'
const ELSEWHERE = `${'q'.repeat(32)}.png`

type Change = (row: Row, at: number) => Row
type Fault = (sound: BrandArchive) => BrandArchive

const rows =
  (table: string, change: Change): Fault =>
  (sound) =>
    withRows(sound, table, (all) => all.map(change))
const first =
  (table: string, changes: Row): Fault =>
  (sound) =>
    withRows(sound, table, ([row, ...others]) => [{ ...row, ...changes }, ...others])
const headed =
  (filesUrl: unknown): Fault =>
  (sound) => ({ ...sound, head: { ...sound.head, filesUrl: filesUrl as string } })
const fileOf = ({ entries }: BrandArchive, ending: string): string =>
  [...entries.keys()].find((name) => name.startsWith('files/') && name.endsWith(ending)) ?? ''
const filed =
  (ending: string, bytes: Uint8Array): Fault =>
  (sound) =>
    withEntry(sound, fileOf(sound, ending), bytes)

const UNMADE = {
  key: `${'q'.repeat(32)}.webp`,
  slot: 'composed',
  content_type: 'image/webp',
  width: 0,
  height: 0,
  part_a: ELSEWHERE,
}
const SCRIPT = svg('<script>alert(1)</script><path d="M0 0h9v9z"/>')
const DOCTYPE = Buffer.concat([Buffer.from('<!DOCTYPE svg>'), SCRIPT])
const LONG = 'é'.repeat(201)

/** Each with what the error says of its place and its rule. */
const faults: Readonly<Record<string, readonly [Fault, RegExp]>> = {
  'a stylesheet with what is refused': [
    first('theme_styles', { source: '.poll { background: url(https://evil.example/x) }' }),
    /rows\/theme_styles\/1, row 1, source: Line 1, column 21: background takes .* not "url/,
  ],
  'a stylesheet that opens a comment': [first('theme_styles', { source: '.poll {} /*' }), /row 1, source: Line 1/],
  'a theme without its stylesheet': [first('brands', { theme: '{}' }), /theme\.hasStyles: Must be true exactly/],
  'a colour that is none': [first('brands', { theme: '{"accent":"red;}"}' }), /theme\.accent: Must be a colour/],
  'any origin': [first('brands', { theme: '{"embedOrigins":["*"]}' }), /theme\.embedOrigins\.0: Must be an origin/],
  'an unknown setting': [first('brands', { theme: '{"onload":"x"}' }), /theme\.onload: Unknown field/],
  'a logo with a path': [first('brands', { theme: '{"logoLight":"../x"}' }), /theme\.logoLight: Must be the key/],
  'a logo of another brand': [
    first('brands', { theme: JSON.stringify({ logoLight: ELSEWHERE, hasStyles: true }) }),
    /theme\.logoLight: Must be a picture of the archive for logo_light/,
  ],
  'a reserved slug': [first('brands', { slug: 'admin' }), /rows\/brands\/1, row 1, slug: This slug is reserved/],
  'an avatar by script': [first('brands', { avatar_url: 'javascript:alert(1)' }), /avatar_url: Must be an https URL/],
  'two brands': [
    (sound) => withRows(sound, 'brands', (all) => [...all, ...all]),
    /rows\/brands\/1, row 2: Must fit the rows before it: UNIQUE/,
  ],
  'no brand': [(sound) => withRows(sound, 'brands', () => []), /rows\/theme_styles\/1, row 1: Must fit .* FOREIGN KEY/],
  'a time of 9e15': [first('polls', { created_at: 9e15 }), /rows\/polls\/1, row 1, created_at: Must be milliseconds/],
  'a time to come': [first('polls', { updated_at: Date.now() + 1e9 }), /row 1, updated_at: .* not in the future/],
  'a time of closing beyond years': [first('polls', { closes_at: 9e15 }), /row 1, closes_at: .* years 0 to 9999/],
  'a window that never opens': [first('polls', { opens_at: 2, closes_at: 1 }), /closes_at: Must be after/],
  'an unknown visibility': [first('polls', { results_visibility: 'sometimes' }), /results_visibility: .*after_vote/],
  'an unknown fit': [first('polls', { fit_a: 'fill' }), /row 1, fit_a: .*contain/],
  'a focal point beyond the edge': [first('polls', { focus_y_b: 10_001 }), /row 1, focus_y_b: /],
  'a flag of results that is none': [first('polls', { is_shown_before_vote: 2 }), /row 1, is_shown_before_vote: /],
  'an unknown motion': [first('brands', { theme: '{"motion":"fast"}' }), /theme\.motion: .*NONE/],
  'a flag that is none': [first('polls', { is_draft: 2 }), /row 1, is_draft: /],
  'an over-long title': [first('polls', { title: LONG }), /row 1, title: Must have at most 200 characters/],
  'a title with control characters': [
    first('polls', { title: 'Tea\u001b[2J' }),
    /row 1, title: Must be one line without control characters/,
  ],
  'a label that runs backwards': [first('polls', { label_a: 'Tea\u202e' }), /row 1, label_a: Must be one line/],
  'a lone surrogate': [first('polls', { alt_a: 'a\ud800b' }), /row 1, alt_a: Must not contain a lone surrogate/],
  'U+0000': [first('polls', { title_folded: 'a\0b' }), /row 1, title_folded: Must not contain U\+0000/],
  'a column that no table has': [first('polls', { 'is_\u001badmin': 1 }), /is_\\u\{1b\}admin: Unknown field/],
  'a column that is missing': [rows('polls', ({ label_b, ...row }) => row), /row 1, label_b: Required/],
  'a slug with a path': [first('polls', { slug: '../x' }), /row 1, slug: Must have 1 to 128 lower-case letters/],
  'a deleted poll': [first('polls', { deleted_at: 1 }), /row 1, deleted_at: /],
  'one slug twice': [
    rows('polls', (row) => ({ ...row, slug: 'same' })),
    /rows\/polls\/1, row 2: Must fit the rows before it: UNIQUE .* polls\.slug/,
  ],
  "another brand's poll": [first('polls', { brand_key: 999 }), /rows\/polls\/1, row 1: Must fit .* FOREIGN KEY/],
  "a picture of another brand's poll": [
    first('polls', { image_a: ELSEWHERE }),
    /rows\/polls\/1, row 1: Must fit the rows before it: FOREIGN KEY/,
  ],
  'a tag of a foreign poll': [
    first('poll_tags', { poll_key: 999 }),
    /rows\/poll_tags\/1, row 1: Must fit .* FOREIGN KEY/,
  ],
  'an unknown state': [first('campaigns', { state: 'hidden' }), /rows\/campaigns\/1, row 1, state: /],
  'a campaign with a foreign poll': [
    first('campaign_polls', { poll_key: 999 }),
    /rows\/campaign_polls, the row of "999", poll_key: Must be one of the archive, and is "999"/,
  ],
  'votes of a foreign poll': [
    rows('votes', (row) => ({ ...row, poll_key: 999 })),
    /rows\/votes, the row of "999", poll_key: Must be one of the archive/,
  ],
  'a respondent of a foreign campaign': [
    first('campaign_respondents', { campaign_key: 999 }),
    /campaign_key: Must be one of the archive/,
  ],
  'tallies that lie': [
    rows('tallies', (row) => ({ ...row, option_a: Number(row['option_a']) + 1 })),
    /rows\/tallies, the row of "\d+", option_a and option_b: Must be as many as in vote_counts/,
  ],
  'votes that the tallies lack': [
    (sound) => withRows(sound, 'vote_counts', (all) => all.map((row) => ({ ...row, option_a: 1, option_b: 1 }))),
    /rows\/tallies, the row of/,
  ],
  "a picture that stands in another one's place": [
    (sound) => withRows(sound, 'polls', ([row = {}, ...others]) => [{ ...row, image_a: row['image_b'] }, ...others]),
    /rows\/polls, the row of "\d+", image_a: Must be a picture of the archive for optionA/,
  ],
  'a poll without a tally': [
    (sound) => withRows(sound, 'tallies', () => []),
    /rows\/tallies: The poll [\w-]+ has no tally/,
  ],
  'timelines that lie': [
    rows('vote_counts', (row) => ({ ...row, option_b: 7 })),
    /rows\/tallies, the row of "\d+", option_a and option_b: Must be as many as in vote_counts/,
  ],
  'positions with a gap': [
    rows('votes', (row) => ({ ...row, position: Number(row['position']) + 1 })),
    /The votes of poll [\w-]+ are at positions from 2 to 4, with a gap or a repeat/,
  ],
  'two votes of one device': [
    (sound) => withRows(sound, 'votes', (all) => all.map((row) => ({ ...row, device: all[0]?.['device'] }))),
    /A device must have at most one vote on a poll/,
  ],
  'a third option': [first('votes', { option: 'C' }), /rows\/votes\/1, row 1, option: /],
  'a device of no size': [first('votes', { device: 'abcd' }), /rows\/votes\/1, row 1, device: Must be 16 bytes/],
  'bytes that are no picture': [
    filed('.webp', Buffer.from('not a picture')),
    /files\/[\w-]+\.webp: The bytes are not of/,
  ],
  'a picture of another size': [filed('.jpg', new Uint8Array()), /files\/[\w-]+\.jpg: The bytes are not of/],
  'half a picture': [
    (sound) =>
      withEntry(sound, fileOf(sound, '.jpg'), (sound.entries.get(fileOf(sound, '.jpg')) ?? SCRIPT).slice(0, 900)),
    /files\/[\w-]+\.jpg: The picture is damaged/,
  ],
  'an SVG with a DOCTYPE': [filed('.svg', DOCTYPE), /files\/[\w-]+\.svg: .*DOCTYPE/],
  'a picture that no row names': [
    (sound) => withEntry(sound, `files/${ELSEWHERE}`, photo(20, 20)),
    new RegExp(`files/${ELSEWHERE}: Must be named by a row`),
  ],
  'a picture with a path': [(sound) => withEntry(sound, 'files/../../secret.key', SCRIPT), /Must be names of pictures/],
  'a row of a picture with a path': [
    first('files', { key: '../tossup.sqlite' }),
    /rows\/files\/1, row 1, key: Must be/,
  ],
  'a picture to be composed of foreign ones': [
    (sound) => withRows(sound, 'files', ([row = {}, ...others]) => [row, ...others, { ...row, ...UNMADE }]),
    /part_a: Must be a picture of the archive for optionA/,
  ],
  'a type that its slot refuses': [
    first('files', { content_type: 'text/html' }),
    /content_type: Must be that of the key/,
  ],
  'a type that is not that of its key': [
    first('files', { slot: 'combined', content_type: 'image/png', key: `${'q'.repeat(32)}.svg` }),
    /content_type: Must be that/,
  ],
  'rows that are no list': [
    (sound) => withEntry(sound, firstPart('polls'), asPart('[1]\n')),
    /rows\/polls\/1, row 1: Must be a row/,
  ],
  'rows that are no JSON': [
    (sound) => withEntry(sound, firstPart('polls'), asPart('[{\n')),
    /rows\/polls\/1, row 1: Must be a row/,
  ],
  'rows without an end of brackets': [
    (sound) => withEntry(sound, firstPart('polls'), asPart(`${'['.repeat(1_000_000)}\n`)),
    /rows\/polls\/1, row 1: Must be a row/,
  ],
  'rows that are not compressed': [
    (sound) => withEntry(sound, firstPart('polls'), Buffer.from('{}\n')),
    /rows\/polls\/1: Must be lines of JSON, compressed/,
  ],
  'rows that fill the memory': [
    (sound) => withEntry(sound, firstPart('polls'), asPart(' '.repeat(70_000_000))),
    /rows\/polls\/1: Must be lines of JSON, compressed/,
  ],
  'fewer rows than its manifest says': [
    (sound) => withEntry(sound, firstPart('poll_tags'), asPart('')),
    /rows\/poll_tags: Must have 1 rows, as the manifest says, and has 0/,
  ],
  'a table of the service': [
    (sound) => withEntry(sound, firstPart('apps'), asPart('')),
    /"rows\/apps\/1\.jsonl\.gz", which is unknown/,
  ],
  ...Object.fromEntries(
    [
      'QQQ',
      '',
      'https://old.example/',
      'https://old.example/files',
      'javascript:alert(1)//files/',
      'https://u:p@old.example/files/',
      'https://old.example/?/files/',
      null,
    ].map((filesUrl) => [
      `filesUrl ${filesUrl}`,
      [headed(filesUrl), /tossup\.json, filesUrl: Must be an http or https address .* ends in \/files\//],
    ]),
  ),
}

describe.each([...sampleEngines])('%s: an archive from anybody', (engine) => {
  let from: Place
  let to: Place
  let sound: BrandArchive
  let opened: Opened
  const photograph = photo(64, 48)

  beforeAll(async () => {
    ;[from, to] = [await newPlace(engine), await newPlace(engine)]
    const settings = { ...from.settings, SECRET_KEY: TEST_SECRET }
    const service = await startTestService(engine, { settings, keepsData: true })
    const brand = await service.createBrand()
    const { slug, id } = await service.createPoll(brand, { tags: ['breakfast'] })
    const other = await service.createPoll(brand)
    const shown = (slot: 'optionA' | 'optionB', contentType: 'image/jpeg' | 'image/webp', bytes: Uint8Array) =>
      upload(service, brand, { slot, contentType, bytes })
    const [left, right] = [
      await shown('optionA', 'image/jpeg', await jpegOf(photograph)),
      await shown('optionB', 'image/webp', await webpOf(photograph, { quality: 60 })),
    ]
    const logo = await upload(service, brand, {
      slot: 'logo_light',
      contentType: 'image/svg+xml',
      bytes: svg('<path d="M0 0h9v9z"/>'),
    })
    const dark = await upload(service, brand, { slot: 'logo_dark', contentType: 'image/png', bytes: photograph })
    const write = async (path: string, json: unknown) => {
      const reply = await service.write('PATCH', path, { token: brand.token, json })
      if (reply.status !== 200) throw new Error(reply.text)
    }
    await write(`brands/me/polls/${slug}`, {
      optionA: { imageUrl: left.publicUrl, fit: 'contain', focusX: 0.25 },
      optionB: { imageUrl: right.publicUrl, focusY: 1 },
      resultsBeforeVote: true,
    })
    await write('brands/me/theme', {
      motion: 'NONE',
      colorScheme: 'DARK',
      shareResults: 'SHOWN',
      embedStorage: 'ALLOW',
    })
    await write('brands/me/theme', { logoLightUrl: logo.publicUrl, logoDarkUrl: dark.publicUrl, customCss: CSS })
    await createCampaign(service, brand, [{ id }, other])
    for (const option of ['A', 'B', 'B']) await service.vote(slug, option)
    await service.stop()
    const path = join(from.dataDir, 'brand.tar')
    await tossupJson(['brand', 'export', '--brand', brand.slug, '--out', path, '--votes'], settings)
    sound = await readBrandArchive(path)
    opened = await openDatabase(readConfig(placed()))
  })
  afterAll(async () => {
    await opened.engine.close()
    await from.clear()
    await to.clear()
  })

  const placed = () => ({ ...to.settings, SECRET_KEY: TEST_SECRET })
  const isolation = new SharedIsolation()
  afterAll(() => isolation.close())
  const place = () => ({ config: readConfig(placed()), engine: opened.engine, clock: systemClock, isolation })
  const storedFiles = () => readdirSync(join(to.dataDir, 'files')).filter((name) => !name.startsWith('.'))

  async function* chunked(bytes: Uint8Array) {
    yield bytes
  }
  const importing = async (archive: BrandArchive) => importBrand(place(), chunked(await archiveBytes(archive)))
  const refusal = (archive: BrandArchive): Promise<unknown> =>
    importing(archive).then(
      () => 'imported',
      (error) => error.message,
    )

  test.each(Object.entries(faults))('with %s is refused, and nothing of it stays', async (_, [fault, said]) => {
    const message = await refusal(fault(sound))
    expect(message).toMatch(said)
    expect(message).toMatch(/Nothing was written\./)
    expect(message).not.toContain('\u001b')
    expect(storedFiles()).toEqual([])
    expect(readdirSync(join(to.dataDir, 'files', '.unfinished'))).toEqual([])
    expect(await opened.engine.db.selectFrom('brands').select('slug').execute()).toEqual([])
  })

  test.each([
    ['files', 2 ** 43, /files\/[\w-]+\.jpg: Must have at most 33554432 bytes, and has 8796093022208/],
    ['rows/polls', 2 ** 43, /rows\/polls\/1: Must have at most 33554432 bytes, and has 8796093022208/],
    ['rows/votes', 2 ** 43, /rows\/votes\/1: Must have at most 33554432 bytes, and has 8796093022208/],
    ['rows/polls', 2 ** 60, /an entry has no length that can be/],
  ] as const)(
    'with an entry in %s that claims %p bytes is refused before it is read',
    async (folder, claimed, said) => {
      const bytes = Buffer.from(await archiveBytes(sound))
      const name = [...sound.entries.keys()].find((each) => each.startsWith(folder) && !each.endsWith('.svg')) ?? ''
      const jpeg = folder === 'files' ? fileOf(sound, '.jpg') : name
      const at = bytes.indexOf(`${jpeg}\0`)
      const header = bytes.subarray(at, at + 512)
      header.fill(0, 124, 136)
      header[124] = 0x80
      header.writeBigUInt64BE(BigInt(claimed), 128)
      header.write('        ', 148)
      const sum = header.reduce((total, byte) => total + byte, 0)
      header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
      const message = await importBrand(place(), chunked(bytes)).then(
        () => 'imported',
        (error) => error.message,
      )
      expect(message).toMatch(said)
      expect(storedFiles()).toEqual([])
    },
  )

  test('moves addresses in address columns alone, reprints the stylesheet, and keeps the bytes of pictures', async () => {
    const filesUrl = 'https://old.example/files/'
    const avatar = fileOf(sound, '.png').slice('files/'.length)
    const noted = withEntry(
      sound,
      fileOf(sound, '.jpg'),
      withExif(Buffer.from(sound.entries.get(fileOf(sound, '.jpg')) ?? []), 1),
    )
    const forged = [
      first('brands', { avatar_url: filesUrl + avatar, description: `See ${filesUrl}` }),
      first('theme_styles', { css: '.tossup { display: none }', source: `${CSS} /* ${filesUrl}*1 */` }),
      first('polls', { title: `Is ${filesUrl} down?`, title_folded: 'lies', title_sort: 'lies', campaign_count: 99 }),
    ].reduce((archive, change) => change(archive), { ...noted, head: { ...noted.head, filesUrl } })
    await importing(forged)
    const { db } = opened.engine
    const brand = await db.selectFrom('brands').selectAll().executeTakeFirstOrThrow()
    const ours = `${readConfig(placed()).publicUrl}/files/`
    expect([brand.avatar_url, brand.description]).toEqual([ours + avatar, `See ${filesUrl}`])
    const styles = await db.selectFrom('theme_styles').select(['css', 'source']).executeTakeFirstOrThrow()
    expect(styles.source).toBe(`${CSS} /* ${filesUrl}*1 */`)
    expect(styles.css).toContain('.tossup .poll{border-style:dashed')
    expect(styles.css).not.toContain('old.example')
    const poll = await db.selectFrom('polls').selectAll().orderBy('key').executeTakeFirstOrThrow()
    const folded = `is ${filesUrl} down?`
    expect([poll.title, poll.title_folded, poll.title_sort, poll.campaign_count]).toEqual([
      `Is ${filesUrl} down?`,
      '',
      folded,
      1,
    ])
    const files = [...sound.entries].filter(([name]) => name.startsWith('files/'))
    expect(storedFiles().sort()).toEqual(files.map(([name]) => name.slice('files/'.length)).sort())
    for (const [name, bytes] of files) {
      const stored = Buffer.from(await Bun.file(join(to.dataDir, name)).bytes())
      if (!name.endsWith('.jpg')) expect([name, stored.equals(bytes)]).toEqual([name, true])
      else {
        // The note in the picture is gone, and the row has the size of what is left.
        expect(stored.includes('taken at home')).toBe(false)
        const row = await db
          .selectFrom('files')
          .select('byte_size')
          .where('key', '=', name.slice('files/'.length))
          .executeTakeFirstOrThrow()
        expect(row.byte_size).toBe(stored.length)
      }
    }
  })

  test('from before options placed their pictures has the defaults', async () => {
    const defaults = {
      fit_a: 'cover',
      focus_x_a: 5_000,
      focus_y_a: 5_000,
      fit_b: 'cover',
      focus_x_b: 5_000,
      focus_y_b: 5_000,
      is_shown_before_vote: 0,
    } as const
    const added = Object.keys(defaults)
    const without = rows('polls', (row) =>
      Object.fromEntries(Object.entries(row).filter(([name]) => !added.includes(name))),
    )
    const place = await newPlace(engine)
    const older = await openDatabase(readConfig({ ...place.settings, SECRET_KEY: TEST_SECRET }))
    try {
      const config = readConfig({ ...place.settings, SECRET_KEY: TEST_SECRET })
      await importBrand(
        { config, engine: older.engine, clock: systemClock, isolation },
        chunked(await archiveBytes(without(sound))),
      )
      const stored = await older.engine.db
        .selectFrom('polls')
        .select(added as (keyof typeof defaults)[])
        .execute()
      expect(stored.length).toBeGreaterThan(1)
      expect(stored).toEqual(stored.map(() => defaults))
    } finally {
      await older.engine.close()
      await place.clear()
    }
  })

  test('is imported as it is where it was not changed, byte for byte', async () => {
    const place = await newPlace(engine)
    const settings = { ...place.settings, SECRET_KEY: TEST_SECRET }
    const [once, again] = [join(place.dataDir, 'once.tar'), join(place.dataDir, 'again.tar')]
    try {
      await Bun.write(once, await archiveBytes(sound))
      const { slug } = await tossupJson<{ slug: string }>(['brand', 'import', once], settings)
      await tossupJson(['brand', 'export', '--brand', slug, '--out', again, '--votes'], settings)
      const { entries } = await readBrandArchive(again)
      expect([...entries.keys()].sort()).toEqual([...sound.entries.keys()].sort())
      for (const [name, bytes] of sound.entries) {
        if (name.startsWith('files/'))
          expect([name, Buffer.from(entries.get(name) ?? []).equals(bytes)]).toEqual([name, true])
      }
      expect(await tossupJson(['verify'], settings)).toMatchObject({ isSound: true })
    } finally {
      await place.clear()
    }
  })
})
