interface Patience {
  readonly withinMs?: number
  readonly everyMs?: number
  /** Describes the state in the failure message. */
  readonly seen?: () => unknown
}

type Nothing = false | null | undefined

/** A look costs processor time, so the longer it has waited, the rarer it looks: at most 5 % of the wait are lost. */
const pauseAfter = (waitedMs: number): number => Math.min(50, Math.max(5, waitedMs / 20))

/** Polls until `look` finds something, and fails after a while. For effects without a promise or event. */
export async function eventually<Found>(
  look: () => Found | Nothing | Promise<Found | Nothing>,
  { withinMs = 20_000, everyMs, seen }: Patience = {},
): Promise<Found> {
  const started = performance.now()
  for (;;) {
    const found = await look()
    if (found !== false && found !== null && found !== undefined) return found
    const waitedMs = performance.now() - started
    if (waitedMs > withinMs) {
      const state = seen ? `; seen: ${JSON.stringify(seen())}` : ''
      throw new Error(`nothing within ${withinMs} ms by ${look}${state}`)
    }
    // Real time: no event says when to look again.
    await Bun.sleep(everyMs ?? pauseAfter(waitedMs))
  }
}
