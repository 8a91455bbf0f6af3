interface Patience {
  readonly withinMs?: number
  readonly everyMs?: number
  /** Describes the state in the failure message. */
  readonly seen?: () => unknown
}

type Nothing = false | null | undefined

/** Polls until `look` finds something, and fails after a while. For effects without a promise or event. */
export async function eventually<Found>(
  look: () => Found | Nothing | Promise<Found | Nothing>,
  { withinMs = 20_000, everyMs = 5, seen }: Patience = {},
): Promise<Found> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const found = await look()
    if (found !== false && found !== null && found !== undefined) return found
    if (performance.now() > deadline) {
      const state = seen ? `; seen: ${JSON.stringify(seen())}` : ''
      throw new Error(`nothing within ${withinMs} ms by ${look}${state}`)
    }
    // Real time: no event says when to look again.
    await Bun.sleep(everyMs)
  }
}
