import { setImmediate as nextTurn } from 'node:timers/promises'
import { z } from 'zod'
import { SECOND } from '../../base/clock.ts'
import { AppError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { attachment } from './content-disposition.ts'
import { preferredType } from './negotiate.ts'
import type { Reply } from './reply.ts'

/** A spreadsheet would run a cell with one of these first characters as a formula: some read the full-width forms too. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/
const NEEDS_QUOTES = /[",\r\n]/

type Cell = string | number

function csvCell(value: Cell): string {
  const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value)
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** One record with its line break, as RFC 4180 defines it. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(',')}\r\n`

/** The query parameters of every list that can be downloaded. */
export const exportQuery = z.object({
  bom: z
    .enum(['0', '1'])
    .optional()
    .meta({
      description: '`1`: the CSV file begins with a byte order mark, by which Excel reads it as UTF-8.',
      examples: ['0'],
    }),
})

const BYTE_ORDER_MARK = '\ufeff'

/** All rows of a list, as a file. */
export interface Export<Item> {
  /** Without the suffix, which depends on the format. ASCII. */
  readonly filename: string
  /** The name for people: the kind of content, and the title of the poll or campaign that it is about. */
  readonly about?: { readonly kind: string; readonly title: string }
  /** The `bom` of the query. */
  readonly bom?: string | undefined
  /** Each page is read only after the one before has been handed to the connection. */
  readonly pages: AsyncIterable<readonly Item[]>
  readonly columns: readonly string[]
  /** The CSV records of one item. */
  cellsOf(item: Item): readonly (readonly Cell[])[]
}

type AnyExport = Export<unknown>

interface Format {
  readonly contentType: string
  readonly suffix: string
  head(file: AnyExport): string
  text(file: AnyExport, items: readonly unknown[]): string
}

const FORMATS = {
  'text/csv': {
    contentType: 'text/csv; charset=utf-8; header=present',
    suffix: 'csv',
    head: ({ columns, bom }) => (bom === '1' ? BYTE_ORDER_MARK : '') + csvLine(columns),
    text: (file, items) => items.flatMap((item) => file.cellsOf(item).map(csvLine)).join(''),
  },
  'application/x-ndjson': {
    contentType: 'application/x-ndjson',
    suffix: 'ndjson',
    head: () => '',
    text: (_file, items) => items.map((item) => `${JSON.stringify(item)}\n`).join(''),
  },
} satisfies Record<string, Format>

export type ExportType = keyof typeof FORMATS

export const EXPORT_TYPES = Object.keys(FORMATS) as ExportType[]

/** Null means the list itself as JSON, which is also the answer to a type that we do not offer. */
export function exportTypeFor(accept: string | null): ExportType | null {
  const type = preferredType(accept, ['application/json', ...EXPORT_TYPES])
  return type === 'application/json' ? null : type
}

/** Long, because a full connection accepts nothing until its client has read a large part: slow clients must survive. */
const LONGEST_PAUSE_MS = 300 * SECOND

/** A caller who loses access gets no more bytes after twice this time. */
const RECHECK_MS = 2 * SECOND

/** A text that is sent as its reader takes it. */
interface Streaming {
  readonly log: Log
  readonly requestId: string
  /** Called once, when nothing more will be sent, by either side's decision. */
  onEnd(): void
  readonly longestPauseMs?: number
  /** False once the caller has lost access, which ends the file, also while the client reads nothing. */
  stillAdmits?(): Promise<boolean>
}

/** An error before the first byte is thrown, and answered like any other error. */
export async function exportReply(file: AnyExport, sending: Streaming & { readonly type: ExportType }): Promise<Reply> {
  const format: Format = FORMATS[sending.type]
  const pages = file.pages[Symbol.asyncIterator]()
  const first = await pages.next()
  return {
    status: 200,
    isText: true,
    body: streamOf(textsOf(file, format, { first, pages }), sending),
    headers: {
      'Content-Type': format.contentType,
      'Content-Disposition': attachment({
        plain: file.filename,
        kind: file.about?.kind ?? '',
        title: file.about?.title ?? null,
        suffix: format.suffix,
      }),
      'Cache-Control': 'private, no-store',
    },
  }
}

/** An AppError is no failure of the server: the exported rows have changed, and the client must start over. */
function noteBreak({ log, requestId }: Streaming, error: unknown): void {
  if (error instanceof AppError) log.info({ requestId, code: error.code, reason: error.message }, 'an export failed')
  else log.error({ err: error, requestId }, 'an export failed')
}

async function* textsOf(
  file: AnyExport,
  format: Format,
  { first, pages }: { first: IteratorResult<readonly unknown[]>; pages: AsyncIterator<readonly unknown[]> },
): AsyncGenerator<string, undefined> {
  try {
    yield format.head(file) + (first.done ? '' : format.text(file, first.value))
    for (let page = first; !page.done; ) {
      page = await pages.next()
      if (!page.done) yield format.text(file, page.value)
    }
  } finally {
    await pages.return?.()
  }
}

/** Cuts the connection, so that no client mistakes a partial file for the whole. Its stack holds nothing confidential. */
class BrokenOff extends Error {
  override readonly stack = 'BrokenOff: an export failed'
}

/** Nothing is read ahead, and nothing is made once the client has left or has read nothing for too long. */
export function streamOf(texts: AsyncGenerator<string, undefined>, sending: Streaming): ReadableStream<Uint8Array> {
  const { log, requestId, longestPauseMs = LONGEST_PAUSE_MS } = sending
  const encoder = new TextEncoder()
  let pause: Timer | undefined
  let isOver = false
  let recheck: Timer | undefined
  const over = () => {
    isOver = true
    clearTimeout(pause)
    clearInterval(recheck)
    sending.onEnd()
  }
  const cutOff = (controller: ReadableStreamDefaultController, reason: string) => {
    if (isOver) return
    log.warn({ requestId }, `an export was cut off: ${reason}`)
    controller.error(new BrokenOff())
    over()
    texts.return(undefined).catch((error) => noteBreak(sending, error))
  }
  const expectReader = (controller: ReadableStreamDefaultController) => {
    pause = setTimeout(() => cutOff(controller, 'the client stopped reading'), longestPauseMs).unref()
  }
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        expectReader(controller)
        const { stillAdmits } = sending
        if (!stillAdmits) return
        recheck = setInterval(async () => {
          // While the database is away nobody was removed.
          const isAdmitted = await stillAdmits().catch(() => true)
          if (!isAdmitted) cutOff(controller, 'its caller has lost access')
        }, RECHECK_MS).unref()
      },
      async pull(controller) {
        clearTimeout(pause)
        try {
          const { value = '', done } = await nextText(texts)
          if (isOver) return
          if (done) {
            controller.close()
            over()
          } else {
            controller.enqueue(encoder.encode(value))
            expectReader(controller)
          }
        } catch (error) {
          if (isOver) return
          noteBreak(sending, error)
          controller.error(new BrokenOff())
          over()
        }
      },
      async cancel() {
        over()
        await texts.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}

/** Yields to the event loop between chunks, even if no read waits. A stream would not be pulled again after an empty one. */
async function nextText(texts: AsyncGenerator<string, undefined>): Promise<IteratorResult<string, undefined>> {
  for (;;) {
    await nextTurn()
    const next = await texts.next()
    if (next.done || next.value !== '') return next
  }
}
