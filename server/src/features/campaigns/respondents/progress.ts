/** A visitor's progress: the ordered steps against the polls that the visitor voted on. */
export interface Progress {
  readonly completedSteps: number
  readonly totalSteps: number
  /** The first step without a vote; null when there is none. */
  readonly current: number | null
  readonly isCompleted: boolean
}

/** Depends on stored votes alone. Steps are keys of polls. A campaign without steps is never completed. */
export function progressThrough(steps: readonly number[], votedOn: ReadonlySet<number>): Progress {
  const open = steps.filter((key) => !votedOn.has(key))
  return {
    completedSteps: steps.length - open.length,
    totalSteps: steps.length,
    current: open[0] ?? null,
    isCompleted: steps.length > 0 && open.length === 0,
  }
}
