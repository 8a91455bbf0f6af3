/** The percentile of a sorted list, by nearest rank; NaN for an empty list. */
export function percentile(sorted: ArrayLike<number>, percent: number): number {
  const rank = Math.ceil((percent / 100) * sorted.length)
  return sorted[Math.max(0, rank - 1)] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** The median of the ratios within each round, because values of the same round were measured under the same load. */
export const medianRatio = (values: readonly number[], yardstick: readonly number[]): number =>
  median(values.map((value, i) => value / (yardstick[i] ?? Number.NaN)))

/** The processor time of a request in each round, in which each side has two samples. */
export function costsOf(samples: readonly { readonly cpu: number | null }[]): number[] {
  const costs: number[] = []
  for (let i = 0; i < samples.length; i += 2) {
    const [first, second] = samples.slice(i, i + 2).map(({ cpu }) => cpu ?? Number.NaN)
    costs.push(((first ?? Number.NaN) + (second ?? Number.NaN)) / 2)
  }
  return costs
}
