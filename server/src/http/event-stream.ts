/** Told once each: when the answer has begun, and when it is over, whoever ended it. The second may come alone. */
export interface StreamUser {
  opened(): void
  gone(): void
}

/**
 * One open answer of server-sent events. What its reader does not take at once is never kept for it: a reader whose
 * connection is full is cut off, and comes back for the present state when it can.
 */
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
      // The reader left, or asked for the head alone.
      cancel: () => this.#over(),
    })
  }

  /** False when the reader was too slow and has been cut off. */
  write(bytes: Uint8Array | string): boolean {
    const controller = this.#controller
    if (!controller || this.#isOver) return true
    const isTaken = [controller.write(bytes), controller.flush()].every(isTakenAtOnce)
    if (isTaken) return true
    // With an error what is left is dropped and the connection reset; a mere end would wait for the reader.
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

/** A promise stands for bytes that the connection could not take. Nobody waits for it. */
function isTakenAtOnce(written: number | Promise<number>): boolean {
  if (typeof written === 'number') return true
  written.catch(() => undefined)
  return false
}
