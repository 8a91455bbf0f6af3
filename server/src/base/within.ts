/** Nobody answered in time. */
export class Silence extends Error {}

/** Fails if `answer` takes longer. The work goes on, and its later failure is nobody's. */
export async function within<T>(milliseconds: number, answer: Promise<T>, whose: string): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Silence(`${whose} did not answer in time`)), milliseconds)
  try {
    return await Promise.race([answer, late.promise])
  } finally {
    clearTimeout(timer)
    answer.catch(() => undefined)
  }
}
