import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { UploadSlot } from '../src/features/uploads/files.ts'
import type { ContentType } from '../src/files/file-keys.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { hostilePictures } from './hostile-pictures.ts'
import { problemsOf } from './polls.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'
import { newTicket, pathOf, putBytes, storedKeys } from './uploads.ts'

// Disks are slow on a busy machine.
setDefaultTimeout(60_000)

const slotFor = (type: ContentType): UploadSlot => (type === 'image/jpeg' ? 'optionA' : 'logo_light')

describe.each([...engines])('%s: a hostile picture', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  test.each(hostilePictures.map((hostile) => [hostile.type, hostile.name, hostile] as const))(
    'as %s: %s',
    async (type, _name, { bytes, code }) => {
      const ticket = await newTicket(service, brand, {
        slot: slotFor(type),
        contentType: type,
        byteSize: bytes.length,
      })
      const refused = await putBytes(service, ticket, bytes)
      expect(`${refused.status} ${refused.body.error?.code}`).toBe('422 VALIDATION_ERROR')
      expect(problemsOf(refused)).toEqual([`body ${code}`])
      expect(refused.headers.get('access-control-allow-origin')).toBe('*')
      expect((await service.get(pathOf(ticket.publicUrl))).status).toBe(404)
      const again = await putBytes(service, ticket, bytes)
      expect([again.status, again.body.error.code]).toEqual([404, 'NOT_FOUND'])
    },
  )

  test('is refused and leaves no row, file, ticket, unfinished upload or log line', async () => {
    expect(hostilePictures.length).toBeGreaterThan(80)
    expect(await storedKeys(service)).toEqual([])
    expect(await service.db.selectFrom('upload_tickets').selectAll().execute()).toEqual([])
    const { dataDir } = service.deps.config
    // The file of an upload that was refused while arriving is removed when the request ends.
    const uploads = () => readdir(join(dataDir, 'uploads'))
    await eventually(async () => (await uploads()).length === 0)
    expect(await uploads()).toEqual([])
    expect(await readdir(join(dataDir, 'files'))).toEqual(['.unfinished'])
    expect(await readdir(join(dataDir, 'files', '.unfinished'))).toEqual([])
    expect(service.logLines).toEqual([])
  })
})
