import { AppError, invalidField, payloadTooLarge, ticketNotFound, unsupportedMediaType } from '../../base/errors.ts'
import type { TicketRow } from '../../db/tables.ts'
import { transaction } from '../../db/transaction.ts'
import type { ContentType } from '../../files/file-keys.ts'
import { MOST_PICTURE_BYTES } from '../../files/pictures/inbox.ts'
import { PictureRefused } from '../../files/pictures/picture-refused.ts'
import { refuseContentCoding } from '../../http/body.ts'
import type { Deps } from '../deps.ts'
import { IncomingBody } from './incoming-body.ts'
import { addFile } from './kept-files.ts'
import { publicUrl } from './public-url.ts'
import { Room } from './room.ts'
import type { UploadedFile } from './schema.ts'
import type { UploadSlot } from './slots.ts'
import { findTicket, giveBackTicket, holdTicket, useUpTicket } from './tickets.ts'

const WORTH_READING = 1024 * 1024

type Receive = (request: Request, wanted: { key: string; signature: string }) => Promise<UploadedFile>

interface Upload {
  readonly request: Request
  readonly body: IncomingBody
  readonly ticket: TicketRow
}

/** Receives an upload, checks, rewrites and stores it. Its public URL answers 404 until all of that is done. */
export function createReceiver(deps: Deps): Receive {
  const room = new Room()

  async function store({ request, body, ticket }: Upload) {
    const most = ticket.byte_size ?? MOST_PICTURE_BYTES
    const size = await body.whole({ most, isOver: () => deps.clock.now() >= ticket.expires_at })
    if (size === 0 || (ticket.byte_size !== null && size !== ticket.byte_size)) throw wrongLength(ticket)
    const to = deps.files.workspace.newPath()
    try {
      const type = ticket.content_type as ContentType
      const written = await deps.decoding.rewrite({ from: body.path, to, type, signal: request.signal })
      await deps.files.put(ticket.key, to)
      return written
    } finally {
      await deps.files.workspace.discard(to)
    }
  }

  async function complete(upload: Upload, holder: string): Promise<UploadedFile> {
    const { ticket } = upload
    const { key, brand_key: brandKey } = ticket
    const contentType = ticket.content_type as ContentType
    const made = await store(upload)
    const isStillOurs = await transaction(deps.engine, async (tx) => {
      const isUsed = await useUpTicket(tx, ticket, holder)
      if (isUsed) await addFile(tx, deps, { key, brandKey, slot: ticket.slot as UploadSlot, contentType, ...made })
      return isUsed
    })
    if (isStillOurs) return { key, publicUrl: publicUrl(deps, key), contentType, ...made }
    await deps.files.remove(key)
    throw ticketNotFound()
  }

  async function whileHeld(upload: Upload): Promise<UploadedFile> {
    const { ticket } = upload
    const holder = await holdTicket(deps, ticket)
    try {
      return await complete(upload, holder)
    } catch (error) {
      await letGo(deps, { ticket, holder, error })
      throw error instanceof PictureRefused ? invalidField('body', error.code, error.message) : error
    }
  }

  return (request, { key, signature }) => {
    checkSize(request.headers, MOST_PICTURE_BYTES)
    refuseContentCoding(request.headers)
    return room.within(async (belongsTo) => {
      const body = new IncomingBody(deps.uploads, request)
      try {
        const ticket = await findTicket(deps, key, signature)
        checkHeaders(ticket, request.headers)
        belongsTo(ticket.brand_key)
        return await whileHeld({ request, body, ticket })
      } finally {
        await body.discard()
      }
    })
  }
}

/** Null for a chunked body. */
function announcedSize(headers: Headers): number | null {
  const announced = headers.get('content-length')
  return announced === null ? null : Number(announced)
}

function checkSize(headers: Headers, most: number): void {
  const size = announcedSize(headers)
  if (size !== null && size > most) throw payloadTooLarge(most, { isEndless: size > WORTH_READING })
}

/** The ticket stays valid. */
function checkHeaders(ticket: TicketRow, headers: Headers): void {
  checkSize(headers, ticket.byte_size ?? MOST_PICTURE_BYTES)
  const type = headers.get('content-type')?.trim().toLowerCase()
  if (type !== ticket.content_type) throw unsupportedMediaType(ticket.content_type)
  const size = announcedSize(headers)
  if (size !== null && ticket.byte_size !== null && size !== ticket.byte_size) throw wrongLength(ticket)
}

const wrongLength = ({ byte_size }: TicketRow): AppError =>
  invalidField(
    'body',
    'wrong_length',
    byte_size === null ? 'The body is empty.' : `The body must have ${byte_size} bytes.`,
  )

interface Failed {
  readonly ticket: TicketRow
  readonly holder: string
  readonly error: unknown
}

/** Refused bytes use the ticket up; any other failure leaves it valid. */
async function letGo({ engine, log }: Deps, { ticket, holder, error }: Failed): Promise<void> {
  const isVerdict = error instanceof PictureRefused || (error instanceof AppError && error.status < 500)
  try {
    if (isVerdict) await transaction(engine, (tx) => useUpTicket(tx, ticket, holder))
    else await giveBackTicket(engine, ticket, holder)
  } catch (failure) {
    log.warn({ err: failure }, 'an upload ticket could not be released: it stays held until it expires')
  }
}
