import { stat } from 'node:fs/promises'
import { SECOND } from '../../base/clock.ts'
import {
  AppError,
  invalidField,
  payloadTooLarge,
  ticketNotFound,
  unavailable,
  unsupportedMediaType,
} from '../../base/errors.ts'
import type { TicketRow } from '../../db/tables.ts'
import { transaction } from '../../db/transaction.ts'
import type { ContentType } from '../../files/file-keys.ts'
import { StoreAway, type Unfinished } from '../../files/file-store.ts'
import { MOST_PICTURE_BYTES, PictureRefused } from '../../files/pictures/container.ts'
import { ClientGone } from '../../http/incoming.ts'
import { refuseContentCoding } from '../../http/json.ts'
import type { Deps } from '../deps.ts'
import { addFile, isPollSlot, publicUrl, type UploadSlot } from './files.ts'
import { findTicket, giveBackTicket, holdTicket, type UploadedFile, useUpTicket } from './tickets.ts'

const LOOK_EVERY_MS = 100

/**
 * Bun writes the body to the disk as it arrives, without passing it through JavaScript. It starts at once: a body
 * that waits stays in memory, more than a megabyte of each. The file's size is the counter.
 */
class IncomingBody {
  readonly path: string
  readonly #uploads: Unfinished
  readonly #writing: Promise<number>

  constructor(uploads: Unfinished, request: Request) {
    this.#uploads = uploads
    this.path = uploads.newPath()
    // The types name only Response, but Bun takes any body.
    this.#writing = Bun.write(this.path, request as unknown as Response).catch((error) => {
      throw request.signal.aborted ? new ClientGone() : new StoreAway(error)
    })
    // `whole` tells of a failure.
    this.#writing.catch(() => undefined)
  }

  /** Resolves with its size when the body is complete. */
  async whole({ most, isOver }: { most: number; isOver: () => boolean }): Promise<number> {
    const stopped = Promise.withResolvers<never>()
    const look = setInterval(async () => {
      if (isOver()) stopped.reject(ticketNotFound())
      else if ((await sizeOf(this.path)) > most) stopped.reject(payloadTooLarge(most, { isEndless: true }))
    }, LOOK_EVERY_MS)
    try {
      const size = await Promise.race([this.#writing, stopped.promise])
      if (isOver()) throw ticketNotFound()
      if (size > most) throw payloadTooLarge(most, { isEndless: false })
      return size
    } finally {
      clearInterval(look)
    }
  }

  /** A body that is still arriving ends with its request, and its file can be removed only then. */
  async discard(): Promise<void> {
    const remove = () => this.#uploads.discard(this.path)
    if (Bun.peek.status(this.#writing) === 'pending') void this.#writing.then(remove, remove)
    else await remove()
  }
}

const sizeOf = async (path: string): Promise<number> => (await stat(path).catch(() => null))?.size ?? 0

const MOST = 256
const MOST_OF_A_BRAND = 128
const RETRY_SECONDS = 5

/** Uploads wait on the disk until they are decoded. The space is limited, in total and for each brand. */
export class Room {
  readonly #uploads = new Set<{ brandKey: number | null }>()

  /** Runs `work` with a place, or refuses. `work` names the brand as soon as it is known. */
  async within<T>(work: (belongsTo: (brandKey: number) => void) => Promise<T>): Promise<T> {
    if (this.#uploads.size >= MOST) throw unavailable(RETRY_SECONDS, { reason: 'too many uploads at once' })
    const upload: { brandKey: number | null } = { brandKey: null }
    this.#uploads.add(upload)
    try {
      return await work((brandKey) => {
        const ofBrand = [...this.#uploads].filter((each) => each.brandKey === brandKey)
        if (ofBrand.length >= MOST_OF_A_BRAND)
          throw unavailable(RETRY_SECONDS, { reason: 'too many uploads of a brand at once' })
        upload.brandKey = brandKey
      })
    } finally {
      this.#uploads.delete(upload)
    }
  }
}

const WORTH_READING = 1024 * 1024

type Receive = (request: Request, wanted: { key: string; signature: string }) => Promise<UploadedFile>

interface Upload {
  readonly request: Request
  readonly body: IncomingBody
  readonly ticket: TicketRow
}

/** Makes the narrower copies of a stored picture. */
export type MakeVariants = (key: string) => Promise<void>

/** A worker makes the copies later if this process ends before it has made them. */
const VARIANTS_WITHIN_MS = 120 * SECOND

/** Receives an upload, checks, rewrites and stores it. Its public URL answers 404 until all of that is done. */
export function createReceiver(deps: Deps, makeVariants: MakeVariants): Receive {
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

  async function whileHeld(upload: Upload): Promise<UploadedFile> {
    const { ticket } = upload
    const { key, brand_key: brandKey } = ticket
    const contentType = ticket.content_type as ContentType
    const holder = await holdTicket(deps, ticket)
    try {
      const made = await store(upload)
      const isStillOurs = await transaction(deps.engine, async (tx) => {
        const isUsed = await useUpTicket(tx, ticket, holder)
        const slot = ticket.slot as UploadSlot
        const variantsDueAt = deps.clock.now() + VARIANTS_WITHIN_MS
        if (isUsed) await addFile(tx, deps, { key, brandKey, slot, contentType, ...made, variantsDueAt })
        return isUsed
      })
      if (isStillOurs) {
        if (isPollSlot(ticket.slot)) await makeVariants(key)
        return { key, publicUrl: publicUrl(deps, key), contentType, ...made }
      }
      await deps.files.remove(key)
      throw ticketNotFound()
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
  invalidField('body', 'wrong_length', byte_size ? `Must have ${byte_size} bytes.` : 'Must not be empty.')

/** Refused bytes use the ticket up; any other failure leaves it valid. */
async function letGo(
  { engine, log }: Deps,
  { ticket, holder, error }: { ticket: TicketRow; holder: string; error: unknown },
): Promise<void> {
  const isVerdict = error instanceof PictureRefused || (error instanceof AppError && error.status < 500)
  try {
    if (isVerdict) await transaction(engine, (tx) => useUpTicket(tx, ticket, holder))
    else await giveBackTicket(engine, ticket, holder)
  } catch (failure) {
    log.warn({ err: failure }, 'an upload ticket could not be released: it stays held until it expires')
  }
}
