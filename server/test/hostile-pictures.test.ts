import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { UploadSlot } from '../src/features/uploads/slots.ts'
import type { ContentType } from '../src/storage/file-keys.ts'
import { engines } from './engines.ts'
import { hostilePictures } from './hostile-pictures.ts'
import { problemsOf } from './polls.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'
import { newTicket, pathOf, putBytes, storedKeys } from './uploads.ts'

// Disks take their time when the machine is busy.
setDefaultTimeout(30_000)

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

  test('leaves nothing: no row, no file, no ticket, nothing unfinished, and no line in the log', async () => {
    expect(hostilePictures.length).toBeGreaterThan(100)
    expect(await storedKeys(service)).toEqual([])
    expect(await service.db.selectFrom('upload_tickets').selectAll().execute()).toEqual([])
    const { dataDir } = service.deps.config
    // What was still coming in when it was refused goes when it has ended.
    const uploads = () => readdir(join(dataDir, 'uploads'))
    for (const end = performance.now() + 2_000; (await uploads()).length > 0 && performance.now() < end; )
      await Bun.sleep(5)
    expect(await uploads()).toEqual([])
    expect(await readdir(join(dataDir, 'files'))).toEqual(['.unfinished'])
    expect(await readdir(join(dataDir, 'files', '.unfinished'))).toEqual([])
    expect(service.logLines).toEqual([])
  })
})
