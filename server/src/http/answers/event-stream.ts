/** Callbacks, each called once: the response has begun; it is over, from either side. `gone` may come without `opened`. */
export interface StreamUser {
  opened(): void
  gone(): void
}

/** Server-sent events. Nothing is buffered: a slow client is disconnected, and reconnects for the current state. */
export class EventStream {
  readonly body: ReadableStream<Uint8Array>
  readonly #user: StreamUser
  #controller: ReadableStreamDirectController | null = null
  #finish: (() => void) | null = null
  #isOver = false

  constructor(user: StreamUser) {
    this.#user = user
    this.body = new ReadableStream<Uint8Array>({
      type: 'direct',
      pull: (controller) => this.#open(controller),
      // The client left, or sent a HEAD request.
      cancel: () => this.#over(),
    })
  }

  /** False if the client was too slow and has been disconnected. */
  write(bytes: Uint8Array | string): boolean {
    const controller = this.#controller
    if (!controller || this.#isOver) return true
    const isTaken = [controller.write(bytes), controller.flush()].every(isTakenAtOnce)
    if (isTaken) return true
    // An error resets the connection and drops the buffered bytes; a plain end would wait for the client to read them.
    controller.close(new Error('too slow'))
    this.#over()
    return false
  }

  end(): void {
    if (this.#isOver) return
    const ended = this.#controller?.end()
    if (ended instanceof Promise) ended.catch(() => undefined)
    this.#over()
  }

  #open(controller: ReadableStreamDirectController): Promise<void> | undefined {
    if (this.#isOver) {
      void controller.end()
      return
    }
    this.#controller = controller
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#finish = resolve
    this.#user.opened()
    return promise
  }

  #over(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#finish?.()
    this.#user.gone()
  }
}

/** A promise means that the connection's buffer is full. The promise itself is not awaited. */
function isTakenAtOnce(written: number | Promise<number>): boolean {
  if (typeof written === 'number') return true
  written.catch(() => undefined)
  return false
}
