import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import fc from 'fast-check'
import { eventually } from '../../../test/eventually.ts'
import { exportOutdated } from '../../base/errors.ts'
import { createLog, type Log } from '../../base/log.ts'
import { encoded } from './encoded.ts'
import { csvLine, type Export, type ExportType, exportReply, exportTypeFor } from './export.ts'

/** Parses one record by the grammar of RFC 4180. */
function cellsOf(line: string): string[] {
  const cells: string[] = []
  let rest = line
  for (;;) {
    const match = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n$)/.exec(rest)
    if (!match) throw new Error(`not a record: ${JSON.stringify(rest)}`)
    cells.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '')
    rest = rest.slice(match[0].length)
    if (match[3] !== ',') return cells
  }
}

describe('a line of CSV', () => {
  test('has commas between and CRLF behind, and quotes where they are needed', () => {
    expect(csvLine(['a', 1, 'b c'])).toBe('a,1,b c\r\n')
    expect(csvLine(['a,b', 'say "x"', 'two\nlines', ''])).toBe('"a,b","say ""x""","two\nlines",\r\n')
  })

  test.each(['=1+1', '+1', '-1', '@x', '\tx', '\rx', '\nx', '＝1+1', '＋1', '－1', '＠x'])(
    '%j is no formula to a spreadsheet',
    (text) => {
      expect(cellsOf(csvLine([text]))).toEqual([`'${text}`])
    },
  )

  test('a number is a number, also below zero', () => {
    expect(csvLine([-5, 0])).toBe('-5,0\r\n')
  })

  test('can be read back with any text in its cells', () => {
    const cell = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('"', ',', '\r', '\n', '=', '＝', 'a') }))
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1 }), (cells) => {
        const read = cellsOf(csvLine(cells))
        expect(read.map((text) => text.replace(/^'(?=[=+\-@\t\r\n＝＋－＠])/, ''))).toEqual(
          cells.map((text) => text.replace(/^'(?=[=+\-@\t\r\n＝＋－＠])/, '')),
        )
      }),
    )
  })
})

interface Row {
  readonly name: string
  readonly counts: readonly number[]
}

const file = (pages: AsyncIterable<readonly Row[]>): Export<Row> => ({
  filename: 'rows',
  columns: ['name', 'count'],
  cellsOf: ({ name, counts }) => counts.map((count) => [name, count]),
  pages,
})

const WAYS = ['identity', 'gzip', 'zstd'] as const

interface Asking {
  readonly coding?: (typeof WAYS)[number]
  readonly longestPauseMs?: number
}

const CSV_HEAD = 'name,count\r\n'

describe('a file of all rows', () => {
  const logLines: string[] = []
  let log: Log
  let server: Bun.Server<undefined> | null = null
  const sockets: Socket[] = []
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    await server?.stop(true)
    server = null
    logLines.length = 0
  })

  let ends = 0
  const onEnd = () => {
    ends++
  }
  beforeEach(() => {
    ends = 0
    log = createLog('info', { write: (line) => void logLines.push(line) })
  })

  const replyOf = (pages: AsyncIterable<readonly Row[]>, type: ExportType = 'text/csv', longestPauseMs = 60_000) =>
    exportReply(file(pages), { type, log, requestId: 'r1', onEnd, longestPauseMs })

  /** Requests over a raw socket, so that the test decides when the bytes are read. */
  async function ask(pages: AsyncIterable<readonly Row[]>, { coding = 'identity', longestPauseMs }: Asking = {}) {
    server = Bun.serve({
      port: 0,
      development: false,
      async fetch(request) {
        const { status, headers, body } = await encoded(await replyOf(pages, 'text/csv', longestPauseMs), request)
        return new Response(body, { status, headers })
      },
    })
    const socket = connect(server.port ?? 0, '127.0.0.1')
    sockets.push(socket)
    let received = ''
    socket.setEncoding('latin1')
    const ended = new Promise<string>((resolve) => {
      socket.on('error', () => undefined)
      socket.on('close', () => resolve(received))
    })
    socket.write(`GET / HTTP/1.1\r\nHost: x\r\nAccept-Encoding: ${coding}\r\nConnection: close\r\n\r\n`)
    return {
      socket,
      ended,
      read: () =>
        socket.on('data', (text: string) => {
          received += text
        }),
      received: () => received,
    }
  }

  async function until(isSo: () => boolean): Promise<void> {
    await eventually(isSo)
  }

  async function* threePages(): AsyncGenerator<Row[]> {
    yield [{ name: 'a', counts: [1, 2] }]
    yield []
    yield [
      { name: '=b,"c"', counts: [3] },
      { name: 'none', counts: [] },
    ]
  }

  test('as CSV has a line of names, then a line for each row', async () => {
    const { headers, body } = await replyOf(threePages())
    expect(headers).toMatchObject({
      'Content-Type': 'text/csv; charset=utf-8; header=present',
      'Content-Disposition': 'attachment; filename="rows.csv"',
    })
    expect(ends).toBe(0)
    expect(await new Response(body).text()).toBe(`${CSV_HEAD}a,1\r\na,2\r\n"'=b,""c""",3\r\n`)
    expect(ends).toBe(1)
  })

  test('as NDJSON has one item per line', async () => {
    const { headers, body } = await replyOf(threePages(), 'application/x-ndjson')
    expect(headers).toMatchObject({ 'Content-Disposition': 'attachment; filename="rows.ndjson"' })
    const lines = (await new Response(body).text()).split('\n')
    expect(lines.pop()).toBe('')
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { name: 'a', counts: [1, 2] },
      { name: '=b,"c"', counts: [3] },
      { name: 'none', counts: [] },
    ])
  })

  test('without rows has the line of names alone', async () => {
    const nothing = async function* (): AsyncGenerator<Row[]> {}
    expect(await new Response((await replyOf(nothing())).body).text()).toBe(CSV_HEAD)
    expect(await new Response((await replyOf(nothing(), 'application/x-ndjson')).body).text()).toBe('')
  })

  /** Random text, of which a compressor leaves three quarters. */
  const randomPage = (): Row[] => {
    const text = randomBytes(45_000).toString('base64')
    return Array.from({ length: 1_000 }, (_, i) => ({ name: text.slice(60 * i, 60 * i + 60), counts: [i] }))
  }

  function endless() {
    const state = { pages: 0, isOver: false }
    async function* pages(): AsyncGenerator<Row[]> {
      try {
        for (;;) {
          // Real time: a page of a database comes in a later turn of the event loop.
          await Bun.sleep(0)
          state.pages++
          yield randomPage()
        }
      } finally {
        state.isOver = true
      }
    }
    return { state, pages: pages() }
  }

  test.each(WAYS)('in %s waits for a slow reader, and continues when it reads', async (coding) => {
    const { state, pages } = endless()
    const { socket, read } = await ask(pages, { coding })
    socket.pause()
    await until(() => state.pages > 0)
    let before = -1
    while (state.pages !== before) {
      before = state.pages
      // Real time: pages are read until the buffers of the connection are full.
      await Bun.sleep(200)
    }
    expect(before).toBeGreaterThan(0)
    expect(before).toBeLessThan(500)
    read()
    socket.resume()
    await until(() => state.pages > before + 500)
    expect(state.isOver).toBe(false)
  })

  test.each(WAYS)('in %s reads no more rows when its reader leaves', async (coding) => {
    const { state, pages } = endless()
    const { socket, read, received } = await ask(pages, { coding })
    read()
    await until(() => received().length > 1_000_000)
    socket.destroy()
    await until(() => state.isOver)
    const { pages: read2 } = state
    // Real time: long enough for a page that must not be read.
    await Bun.sleep(50)
    expect(state.pages).toBe(read2)
    expect(ends).toBe(1)
    expect(logLines).toEqual([])
  })

  test.each(WAYS)(
    'in %s is cut off when it is not read for too long, and not while it is read slowly',
    async (coding) => {
      const { state, pages } = endless()
      const { socket, read, ended } = await ask(pages, { coding, longestPauseMs: 1_000 })
      read()
      const startedAt = performance.now()
      while (performance.now() - startedAt < 1_500) {
        const before = state.pages
        await until(() => state.pages > before)
        // Real time: a slow reader, far within the pause that is allowed.
        await Bun.sleep(50)
      }
      expect(ends).toBe(0)
      socket.pause()
      await until(() => state.isOver)
      expect(ends).toBe(1)
      socket.resume()
      expect(await ended).not.toEndWith('0\r\n\r\n')
      expect(logLines.map((line) => JSON.parse(line))).toMatchObject([
        { msg: 'an export was cut off: the client stopped reading', requestId: 'r1' },
      ])
    },
  )

  test.each(WAYS)('in %s whose rows cannot be read is cut off, and the log says why', async (coding) => {
    async function* breaking(): AsyncGenerator<Row[]> {
      yield randomPage()
      throw new Error('the disk is gone')
    }
    const { read, ended } = await ask(breaking(), { coding })
    read()
    const received = await ended
    expect(received).toStartWith('HTTP/1.1 200 ')
    expect(received).not.toEndWith('0\r\n\r\n')
    expect(logLines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'error', msg: 'an export failed', requestId: 'r1', err: { message: 'the disk is gone' } },
    ])
    expect(ends).toBe(1)
  })

  test('that is cut off because its rows were changed is not logged as a failure', async () => {
    async function* outdated(): AsyncGenerator<Row[]> {
      yield randomPage()
      throw exportOutdated()
    }
    const { read, ended } = await ask(outdated())
    read()
    expect(await ended).not.toEndWith('0\r\n\r\n')
    expect(logLines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'info', msg: 'an export failed', requestId: 'r1', code: 'UNAVAILABLE' },
    ])
    expect(logLines.join()).not.toContain('stack')
  })

  test('that cannot begin throws, so that it can be answered', async () => {
    async function* failing(isBroken: boolean): AsyncGenerator<Row[]> {
      if (isBroken) throw new Error('the disk is gone')
      yield randomPage()
    }
    await expect(replyOf(failing(true))).rejects.toThrow('the disk is gone')
  })

  test('is sent for its media type; other requests get the list', () => {
    expect(exportTypeFor('text/csv')).toBe('text/csv')
    expect(exportTypeFor('application/x-ndjson;q=0.3, text/*;q=0.2')).toBe('application/x-ndjson')
    for (const accept of [null, '*/*', 'application/json', 'application/xml', 'text/csv;q=0']) {
      expect(exportTypeFor(accept)).toBeNull()
    }
  })
})
