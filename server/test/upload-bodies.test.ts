import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdir, readdir, rename } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { paint } from './pictures.ts'
import { problemsOf } from './polls.ts'
import { S3StandIn } from './s3-stand-in.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'
import { canMount, mountSmall, unmount } from './small-disk.ts'
import { newTicket, pathOf, putBytes, storedKeys, type TicketData } from './uploads.ts'

// Disks are slow on a busy machine.
setDefaultTimeout(60_000)

const png = paint({ width: 200, height: 100 })

const until = (isTrue: () => boolean | Promise<boolean>) => eventually(isTrue, { withinMs: 30_000 })

/** A raw connection, on which the test writes every byte. */
class Wire {
  readonly #socket: Socket
  text = ''
  isClosed = false

  constructor(url: string) {
    this.#socket = connect(Number(new URL(url).port), '127.0.0.1')
    this.#socket.on('data', (bytes) => {
      this.text += bytes.toString('latin1')
    })
    this.#socket.on('close', () => {
      this.isClosed = true
    })
    this.#socket.on('error', () => undefined)
  }

  send = (data: string | Uint8Array): boolean => this.#socket.write(data)
  leave = () => this.#socket.destroy()
  status = () => Number(/^HTTP\/1\.1 (\d{3})/.exec(this.text)?.[1])
  code = () => /"code":"(\w+)"/.exec(this.text)?.[1]

  begin(ticket: TicketData, length: string): void {
    const lines = [`PUT ${pathOf(ticket.uploadUrl)} HTTP/1.1`, 'Host: x', 'Content-Type: image/png', length, '', '']
    this.send(lines.join('\r\n'))
  }
}

const stream = (parts: readonly Uint8Array[]): ReadableStream<Uint8Array> => {
  const left = [...parts]
  return new ReadableStream({
    pull(controller) {
      const next = left.shift()
      if (next) controller.enqueue(next)
      else controller.close()
    },
  })
}

describe.each([...engines])('%s: the body of an upload', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine, { settings: { LOG_LEVEL: 'warn' } })
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const ticketFor = (byteSize?: number) =>
    newTicket(service, brand, { slot: 'optionA', contentType: 'image/png', ...(byteSize ? { byteSize } : {}) })

  const waiting = () => readdir(join(service.deps.config.dataDir, 'uploads'))
  const holder = async ({ key }: TicketData) =>
    (await service.db.selectFrom('upload_tickets').select('held_by').where('key', '=', key).executeTakeFirst())?.held_by

  test('may come without Content-Length, if it has the size of its ticket', async () => {
    const parts = [png.subarray(0, 100), png.subarray(100)]
    expect((await putBytes(service, await ticketFor(png.length), stream(parts))).status).toBe(200)
    expect((await putBytes(service, await ticketFor(), stream(parts))).status).toBe(200)
  })

  test('without Content-Length is refused as soon as it is too long, and when it is too short', async () => {
    const before = await storedKeys(service)
    const short = await putBytes(service, await ticketFor(png.length + 1), stream([png]))
    expect(problemsOf(short)).toEqual(['body wrong_length'])
    const long = await putBytes(service, await ticketFor(png.length - 1), stream([png]))
    expect([long.status, long.body.error.details]).toEqual([413, { limit: png.length - 1 }])
    const endless = new Wire(service.service.url)
    endless.begin(await ticketFor(), 'Transfer-Encoding: chunked')
    const megabyte = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(0x100000), Buffer.from('\r\n')])
    for (let sent = 0; sent < 20 && !endless.isClosed; sent++) {
      endless.send(megabyte)
      // Real time: the parts must arrive one by one.
      await Bun.sleep(20)
    }
    await until(() => endless.isClosed)
    expect([endless.status(), endless.code()]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    expect(await storedKeys(service)).toEqual(before)
    await until(async () => (await waiting()).length === 0)
  })

  test('that breaks off leaves its ticket unused', async () => {
    const before = await storedKeys(service)
    const ticket = await ticketFor(png.length)
    for (const length of [`Content-Length: ${png.length}`, 'Transfer-Encoding: chunked']) {
      const wire = new Wire(service.service.url)
      wire.begin(ticket, length)
      wire.send(length.startsWith('C') ? png.subarray(0, 200) : '5\r\nhello\r\n')
      await until(async () => (await waiting()).length === 1 && (await holder(ticket)) !== null)
      expect((await putBytes(service, ticket, png)).status).toBe(404)
      wire.leave()
      await until(async () => (await holder(ticket)) === null)
      // The file is removed after the ticket is released.
      await until(async () => (await waiting()).length === 0)
    }
    expect(await storedKeys(service)).toEqual(before)
    expect((await putBytes(service, ticket, png)).status).toBe(200)
    expect(service.logLines).toEqual([])
  })

  test('is not read beyond its Content-Length', async () => {
    const ticket = await ticketFor(png.length)
    const wire = new Wire(service.service.url)
    wire.begin(ticket, `Content-Length: ${png.length}`)
    wire.send(Buffer.concat([png, Buffer.from('<script>')]))
    await until(() => wire.text.includes('}') || wire.isClosed)
    // The rest is a malformed request of its own; Bun may answer that first, and close.
    expect([200, 400]).toContain(wire.status())
    wire.leave()
    const isStored = async () => (await storedKeys(service)).includes(ticket.key)
    await until(async () => (await isStored()) || (await putBytes(service, ticket, png)).status === 200)
    const shown = await service.get(pathOf(ticket.publicUrl))
    expect(shown.text).not.toContain('<script>')
  })

  test('that is too slow is cut off, and nothing of it is kept', async () => {
    const before = await storedKeys(service)
    const ticket = await ticketFor(png.length)
    const wire = new Wire(service.service.url)
    wire.begin(ticket, `Content-Length: ${png.length}`)
    for (let i = 0; i < 3; i++) {
      wire.send(png.subarray(i * 10, i * 10 + 10))
      // Real time: the parts must arrive one by one.
      await Bun.sleep(20)
    }
    await until(async () => (await waiting()).length === 1)
    service.clock.advance(600_000)
    await until(() => wire.text.endsWith('}'))
    expect([wire.status(), wire.code()]).toEqual([404, 'NOT_FOUND'])
    await until(async () => (await waiting()).length === 0)
    wire.leave()
    expect(await storedKeys(service)).toEqual(before)
    expect(service.logLines).toEqual([])
  })

  test.if(canMount).each(['uploads', 'files'])(
    'is 503 while the disk is full in %s, and can be repeated',
    async (folder) => {
      const random = () => Math.random() * 255
      const large = paint({ width: 700, height: 700 }, () => [random(), random(), random()])
      const path = join(service.deps.config.dataDir, folder)
      const before = await storedKeys(service)
      const ticket = await ticketFor(large.length)
      await mountSmall(path)
      await mkdir(join(path, '.unfinished'))
      try {
        const full = await putBytes(service, ticket, large)
        expect([full.status, full.body.error.code, full.headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', '2'])
        // Variants of earlier pictures may be written at the same time.
        expect(await readdir(path)).not.toContain(ticket.key)
        await until(async () => (await readdir(join(path, '.unfinished'))).length === 0)
      } finally {
        await unmount(path)
      }
      expect((await service.get(pathOf(ticket.publicUrl))).status).toBe(404)
      expect(await storedKeys(service)).toEqual(before)
      expect((await service.get('/livez')).status).toBe(200)
      // The second failure of one cause within a second is logged when the second ends.
      await until(() => service.logLines.join('').includes('ENOSPC'))
      service.logLines.splice(0)
      expect((await putBytes(service, ticket, large)).status).toBe(200)
    },
  )

  test('is 503 while the folder is missing, and can be repeated', async () => {
    const path = join(service.deps.config.dataDir, 'uploads')
    const ticket = await ticketFor()
    await rename(path, `${path}.away`)
    // Bun creates missing folders, but cannot replace a file with one.
    await Bun.write(path, '')
    expect((await putBytes(service, ticket, png)).status).toBe(503)
    await Bun.file(path).delete()
    await mkdir(path)
    service.logLines.splice(0)
    expect((await putBytes(service, ticket, png)).status).toBe(200)
  })
})

describe.each([...engines])('%s: an upload while S3 is away', (engine) => {
  test('is 503 and leaves the ticket valid; files are 503 too until S3 is back', async () => {
    const s3 = new S3StandIn()
    const service = await startTestService(engine, { settings: { S3_URL: s3.url() } })
    try {
      const brand = await service.createBrand()
      const wanted = { slot: 'favicon', contentType: 'image/png', byteSize: png.length } as const
      const [ticket, shown] = [await newTicket(service, brand, wanted), await newTicket(service, brand, wanted)]
      expect((await putBytes(service, shown, png)).status).toBe(200)
      s3.fault = () => new Response('<Error><Code>SlowDown</Code></Error>', { status: 503 })
      for (let i = 0; i < 2; i++) {
        const away = await putBytes(service, ticket, png)
        expect([away.status, away.body.error.code, away.headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', '2'])
      }
      expect((await service.get(pathOf(shown.publicUrl))).status).toBe(503)
      expect((await service.get('/livez')).status).toBe(200)
      s3.fault = null
      expect((await service.get(pathOf(ticket.publicUrl))).status).toBe(404)
      expect((await service.get(pathOf(shown.publicUrl))).status).toBe(200)
      expect((await putBytes(service, ticket, png)).status).toBe(200)
      const log = service.logLines.join('')
      expect(log).toContain('S3 answered 503 SlowDown')
      expect(log).not.toMatch(/Signature|STANDIN|odd characters/)
    } finally {
      await service.stop()
      s3.stop()
    }
  })
})
