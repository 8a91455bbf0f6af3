const GIVES_UP_MS = 10_000

/**
 * For how long answers stay wrong: from now until the last question that got a wrong one. The time that an answer takes
 * does not count, so a machine that pauses makes no answer late.
 */
export async function wrongFor(isRight: () => Promise<boolean>): Promise<number> {
  const startedAt = performance.now()
  for (let wrongMs = 0; wrongMs < GIVES_UP_MS; ) {
    const askedMs = performance.now() - startedAt
    if (await isRight()) return wrongMs
    wrongMs = askedMs
    // Real time: the duration is the subject.
    await Bun.sleep(5)
  }
  return Number.POSITIVE_INFINITY
}
