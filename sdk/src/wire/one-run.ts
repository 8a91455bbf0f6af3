/** One run at a time. Concurrent callers share its result. */
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
 * One run at a time. A call during a run causes another run, so that nothing is missed at the end of the first. All callers
 * get the combined results.
 */
export function onDemand<T>(run: (results: T[]) => Promise<void>): () => Promise<T[]> {
  let running: Promise<T[]> | null = null
  let isWanted = false

  async function runWhileWanted(): Promise<T[]> {
    const results: T[] = []
    // A run that ends at once must not end before `running` is set.
    await null
    try {
      while (isWanted) {
        isWanted = false
        await run(results)
      }
      return results
    } finally {
      // No await since the last check of `isWanted`, so a call cannot fall between the check and this line.
      running = null
    }
  }

  return () => {
    isWanted = true
    running ??= runWhileWanted()
    return running
  }
}
