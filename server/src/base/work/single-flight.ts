/** Callers that ask for the same key at the same time share one result. A call after the result starts new work. */
export class SingleFlight<Key, Value> {
  readonly #running = new Map<Key, Promise<Value>>()

  get size(): number {
    return this.#running.size
  }

  has(key: Key): boolean {
    return this.#running.has(key)
  }

  run(key: Key, work: () => Promise<Value>): Promise<Value> {
    const running = this.#running.get(key)
    if (running !== undefined) return running
    const { promise, resolve, reject } = Promise.withResolvers<Value>()
    const forget = () => this.#running.delete(key)
    // Before the work begins, because the work may end, fail or ask for the same key synchronously.
    this.#running.set(key, promise)
    promise.then(forget, forget)
    try {
      work().then(resolve, reject)
    } catch (error) {
      reject(error)
    }
    return promise
  }
}

/** Makes something at its first request, and again after a failure. */
export function madeOnce<Made>(make: () => Promise<Made>): () => Promise<Made> | Made {
  const making = new SingleFlight<'it', Made>()
  let made: Made | null = null
  return () =>
    made ??
    making.run('it', async () => {
      made = await make()
      return made
    })
}
