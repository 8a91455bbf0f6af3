/** One run at a time. Everybody who asks meanwhile gets its answer. */
export function shared<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null
  return () => {
    running ??= run().finally(() => {
      running = null
    })
    return running
  }
}

/**
 * One run at a time. Who asks meanwhile is answered after another run, so that nothing is missed that came in the last moments
 * of the first; the answer holds what all of them added.
 */
export function onDemand<T>(run: (results: T[]) => Promise<void>): () => Promise<T[]> {
  let running: Promise<T[]> | null = null
  let isWanted = false

  async function runWhileWanted(): Promise<T[]> {
    const results: T[] = []
    // A run that ends at once may not end before `running` is set.
    await null
    try {
      while (isWanted) {
        isWanted = false
        await run(results)
      }
      return results
    } finally {
      // In the turn of the last look at `isWanted`: who asks does so before both or after both.
      running = null
    }
  }

  return () => {
    isWanted = true
    running ??= runWhileWanted()
    return running
  }
}
