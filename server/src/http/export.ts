import { setImmediate as nextTurn } from 'node:timers/promises'
import { SECOND } from '../base/clock.ts'
import { AppError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { csvLine } from './csv.ts'
import { preferredType } from './negotiate.ts'
import type { Reply } from './reply.ts'

/** Every row of a list, as a file. */
export interface Export<Item> {
  /** Without what the format adds. */
  readonly filename: string
  /** One page after another, read when the one before is on its way. */
  readonly pages: AsyncIterable<readonly Item[]>
  readonly columns: readonly string[]
  /** The lines of CSV that an item makes. */
  cellsOf(item: Item): readonly (readonly (string | number)[])[]
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
    head: ({ columns }) => csvLine(columns),
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

/** Null for the list itself, as JSON: also for who asks for something that we do not have. */
export function exportTypeFor(accept: string | null): ExportType | null {
  const type = preferredType(accept, ['application/json', ...EXPORT_TYPES])
  return type === 'application/json' ? null : type
}

/** A full connection takes nothing until its reader has read a good part: that is no reason to cut off a slow one. */
const LONGEST_PAUSE_MS = 300 * SECOND

interface Sending {
  readonly type: ExportType
  readonly log: Log
  readonly requestId: string
  /** Told once, when nothing more is sent, whoever ended it. */
  onEnd(): void
  readonly longestPauseMs?: number
}

/** What goes wrong before the first byte is thrown, and answered as any other failure. */
export async function exportReply(file: AnyExport, sending: Sending): Promise<Reply> {
  const { type, log, requestId, onEnd, longestPauseMs = LONGEST_PAUSE_MS } = sending
  const format: Format = FORMATS[type]
  const pages = file.pages[Symbol.asyncIterator]()
  const first = await pages.next()
  const chunks = textsOf(file, { format, first, pages })
  return {
    status: 200,
    isText: true,
    body: streamOf(chunks, {
      onBreak: (error) => noteBreak(log, error, requestId),
      onPause: () => log.warn({ requestId }, 'an export was cut off: nobody read it'),
      onEnd,
      longestPauseMs,
    }),
    headers: {
      'Content-Type': format.contentType,
      'Content-Disposition': `attachment; filename="${file.filename}.${format.suffix}"`,
      'Cache-Control': 'private, no-store',
    },
  }
}

/** A refusal is no failure of ours: what is sent has changed meanwhile, and whoever reads begins again. */
function noteBreak(log: Log, error: unknown, requestId: string): void {
  if (error instanceof AppError) log.info({ requestId, code: error.code, reason: error.message }, 'an export broke off')
  else log.error({ err: error, requestId }, 'an export broke off')
}

interface Begun {
  readonly format: Format
  readonly first: IteratorResult<readonly unknown[]>
  readonly pages: AsyncIterator<readonly unknown[]>
}

async function* textsOf(file: AnyExport, { format, first, pages }: Begun): AsyncGenerator<string, undefined> {
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

/** Cuts the connection, so that nobody takes what has come for the whole. It carries nothing that may not be shown. */
class BrokenOff extends Error {
  override readonly stack = 'BrokenOff: an export broke off'
}

interface Course {
  onBreak(error: unknown): void
  onPause(): void
  onEnd(): void
  readonly longestPauseMs: number
}

/**
 * Nothing is read ahead: the next text is made when there is room for it, and none any more once the reader has left, or
 * has read nothing for too long.
 */
function streamOf(texts: AsyncGenerator<string, undefined>, course: Course): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let pause: Timer | undefined
  let isOver = false
  const over = () => {
    isOver = true
    clearTimeout(pause)
    course.onEnd()
  }
  const expectReader = (controller: ReadableStreamDefaultController) => {
    pause = setTimeout(() => {
      course.onPause()
      controller.error(new BrokenOff())
      over()
      texts.return(undefined).catch(course.onBreak)
    }, course.longestPauseMs).unref()
  }
  return new ReadableStream<Uint8Array>(
    {
      start: expectReader,
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
          course.onBreak(error)
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

/** Others are answered in between, also where a read waits for nothing. An empty text would not be asked on from. */
async function nextText(texts: AsyncGenerator<string, undefined>): Promise<IteratorResult<string, undefined>> {
  for (;;) {
    await nextTurn()
    const next = await texts.next()
    if (next.done || next.value !== '') return next
  }
}
