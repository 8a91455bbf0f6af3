import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newPlace, serve, tossup, tossupJson } from './command.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { S3StandIn } from './s3-stand-in.ts'

// Processes start slowly on a busy machine.
setDefaultTimeout(60_000)

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const work of undo.splice(0).toReversed()) await work()
})

const NAME = /^tossup-\d{8}T\d{9}Z\.tar$/

test.each([...engines])('%s: a server makes a backup in BACKUP_URL that can be restored', async (engine) => {
  const [place, target] = [await newPlace(engine), await newPlace(engine)]
  undo.push(place.clear, target.clear)
  const folder = join(place.dataDir, 'backups')
  const settings = { ...place.settings, BACKUP_URL: folder, BACKUP_EVERY: '1h' }
  const port = freePort()
  const server = await serve({ ...settings, METRICS_PORT: String(port), DEMO: 'true', LOG_LEVEL: 'info' })
  undo.push(() => server.kill('SIGTERM'))
  const complete = () => {
    try {
      return readdirSync(folder).find((name) => NAME.test(name))
    } catch {
      return undefined
    }
  }
  const name = await eventually(complete, { withinMs: 30_000 })
  expect(await tossupJson(['backup', '--if-due'], settings)).toEqual({
    made: false,
    newest: expect.stringMatching(/^20\d\d-/),
  })
  const newest = async () => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    return Number(/^tossup_backup_last_success_timestamp_seconds (.+)$/m.exec(text)?.[1])
  }
  const age = await eventually(async () => (await newest()) > 0 && Date.now() / 1_000 - (await newest()))
  expect(age).toBeWithin(0, 120)
  server.kill('SIGTERM')
  expect((await server.ended).stderr).toContain('"made":true')
  await tossupJson(['restore', join(folder, name)], target.settings)
  expect(await tossupJson(['verify'], target.settings)).toMatchObject({ isSound: true })
})

test('older backups are removed beyond BACKUP_KEEP, and other files are not', async () => {
  const place = await newPlace('sqlite')
  undo.push(place.clear)
  await tossupJson(['migrate'], place.settings)
  const folder = join(place.dataDir, 'backups')
  const settings = { ...place.settings, BACKUP_URL: folder, BACKUP_KEEP: '2' }
  await tossupJson(['backup'], settings)
  for (const name of ['tossup-20200101T000000Z.tar', 'tossup-20210101T000000Z.tar', 'notes.tar', 'tossup-old.tar'])
    writeFileSync(join(folder, name), '')
  writeFileSync(join(folder, 'tossup-20190101T000000Z.tar.partial'), '')
  const before = readdirSync(folder)
    .filter((name) => NAME.test(name))
    .sort()
    .at(-1)
  const { name, removed } = await tossupJson<{ name: string; removed: string[] }>(['backup'], settings)
  expect(removed).toEqual(['tossup-20200101T000000Z.tar', 'tossup-20210101T000000Z.tar'])
  expect(readdirSync(folder).sort()).toEqual(['notes.tar', before ?? '', name, 'tossup-old.tar'].sort())
  const settingsOfBoth = { ...settings, BACKUP_KEEP: '9' }
  const both = await Promise.all([1, 2].map(() => tossupJson<{ name: string }>(['backup'], settingsOfBoth)))
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(both.map((backup) => backup.name)))
})

test('a bucket takes backups, gives the list of them, and loses the old ones', async () => {
  const place = await newPlace('sqlite')
  const s3 = new S3StandIn()
  undo.push(place.clear, s3.stop)
  await tossupJson(['migrate'], place.settings)
  const settings = { ...place.settings, BACKUP_URL: s3.url({ folder: 'backups' }), BACKUP_KEEP: '1' }
  s3.objects.set('backups/tossup-20200101T000000Z.tar', { bytes: new Uint8Array(1), headers: {} })
  const { name } = await tossupJson<{ name: string }>(['backup'], settings)
  expect([...s3.objects.keys()]).toEqual([`backups/${name}`])
  const file = join(place.dataDir, 'from-bucket.tar')
  writeFileSync(file, s3.objects.get(`backups/${name}`)?.bytes ?? '')
  expect(await tossupJson(['verify', file], {})).toMatchObject({ isSound: true })
  const wrong = await tossup(['backup'], { ...settings, BACKUP_URL: s3.url({ secret: 'wrong' }) })
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringMatching(/^Cannot use the bucket of BACKUP_URL: .+\n$/)])
  const plain = await tossup(['backup'], { ...settings, BACKUP_URL: s3.url().replace('s3+http:', 's3:') })
  expect([plain.code, plain.stderr]).toEqual([1, expect.stringContaining('write s3+http:// in place of s3://')])
})
