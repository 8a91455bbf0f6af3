/** A visitor's progress: the ordered steps against the polls that the visitor voted on. */
export interface Progress<Step> {
  readonly completedSteps: number
  readonly totalSteps: number
  /** The first step without a vote; null when there is none. */
  readonly current: Step | null
  readonly isCompleted: boolean
}

/** Depends on stored votes alone. A campaign without steps is never completed. */
export function progressThrough<Step extends { readonly key: number }>(
  steps: readonly Step[],
  votedOn: ReadonlySet<number>,
): Progress<Step> {
  const open = steps.filter(({ key }) => !votedOn.has(key))
  return {
    completedSteps: steps.length - open.length,
    totalSteps: steps.length,
    current: open[0] ?? null,
    isCompleted: steps.length > 0 && open.length === 0,
  }
}
