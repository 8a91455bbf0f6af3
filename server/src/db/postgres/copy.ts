import type pg from 'pg'

/** Methods that `pg` calls on a custom query; its types lack those of COPY. */
interface CopyQuery {
  submit(connection: Connection): void
  handleError(error: Error): void
  handleReadyForQuery(): void
  handleCommandComplete(): void
}

interface Connection {
  readonly stream: {
    pause(): void
    resume(): void
    writableNeedDrain: boolean
    once(event: 'drain', run: () => void): void
  }
  query(text: string): void
  sendCopyFromChunk(chunk: Uint8Array): void
  endCopyFrom(): void
  sendCopyFail(reason: string): void
}

const submit = (client: pg.Client, query: CopyQuery): void => {
  client.query(query as unknown as pg.Submittable)
}

const MOST_WAITING_BYTES = 8_388_608

/** The rows of `COPY … TO STDOUT`: each chunk is a whole row. The server waits while the reader is slow. */
export async function* copyOut(client: pg.Client, statement: string): AsyncGenerator<Uint8Array[]> {
  const reading = new CopyReading(statement)
  submit(client, reading)
  for (let rows = await reading.take(); rows.length > 0; rows = await reading.take()) yield rows
}

class CopyReading implements CopyQuery {
  readonly #statement: string
  #connection: Connection | null = null
  #waiting: Uint8Array[] = []
  #bytes = 0
  #isDone = false
  #failure: Error | null = null
  #wake: () => void = () => undefined

  constructor(statement: string) {
    this.#statement = statement
  }

  /** The rows that have arrived; none at the end. */
  async take(): Promise<Uint8Array[]> {
    while (this.#waiting.length === 0 && !this.#isDone) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    if (this.#failure) throw this.#failure
    const rows = this.#waiting
    this.#waiting = []
    this.#bytes = 0
    this.#connection?.stream.resume()
    return rows
  }

  submit(connection: Connection): void {
    this.#connection = connection
    connection.query(this.#statement)
  }

  handleCopyData({ chunk }: { chunk: Uint8Array }): void {
    // Copied: the chunk is a part of the buffer of the socket.
    this.#waiting.push(Uint8Array.from(chunk))
    this.#bytes += chunk.length
    if (this.#bytes > MOST_WAITING_BYTES) this.#connection?.stream.pause()
    this.#wake()
  }

  handleError(error: Error): void {
    this.#failure = error
    this.#isDone = true
    this.#wake()
  }

  handleCommandComplete(): void {
    // `handleReadyForQuery` follows.
  }

  handleReadyForQuery(): void {
    this.#isDone = true
    this.#wake()
  }
}

/** Fills a table by `COPY … FROM STDIN`. */
export class CopyWriting implements CopyQuery {
  readonly #statement: string
  readonly #started = Promise.withResolvers<Connection>()
  readonly #ended = Promise.withResolvers<void>()

  constructor(client: pg.Client, statement: string) {
    this.#statement = statement
    // Both are awaited later, by `write` and `finish`.
    this.#started.promise.catch(() => undefined)
    this.#ended.promise.catch(() => undefined)
    submit(client, this)
  }

  async write(chunk: Uint8Array): Promise<void> {
    const connection = await this.#started.promise
    connection.sendCopyFromChunk(chunk)
    if (!connection.stream.writableNeedDrain) return
    const drained = new Promise<void>((resolve) => connection.stream.once('drain', resolve))
    await Promise.race([drained, this.#ended.promise])
  }

  async finish(): Promise<void> {
    const connection = await this.#started.promise
    connection.endCopyFrom()
    await this.#ended.promise
  }

  submit(connection: Connection): void {
    connection.query(this.#statement)
  }

  handleCopyInResponse(connection: Connection): void {
    this.#started.resolve(connection)
  }

  handleError(error: Error): void {
    this.#started.reject(error)
    this.#ended.reject(error)
  }

  handleCommandComplete(): void {
    // `handleReadyForQuery` follows.
  }

  handleReadyForQuery(): void {
    this.#ended.resolve()
  }
}
