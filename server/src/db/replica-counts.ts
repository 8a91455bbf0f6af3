/** Who answered a read that may come from a replica: the replica, or for one of these reasons the primary. */
export type ReadOutcome = 'replica' | 'behind' | 'busy' | 'failed' | 'unusable'

export interface ReplicaCounts {
  readonly outcomes: Readonly<Record<ReadOutcome, number>>
  /** What the replica still had to apply when it was last asked. */
  readonly lagBytes: number
}

export const noReplica = (): ReplicaCounts => ({
  outcomes: { replica: 0, behind: 0, busy: 0, failed: 0, unusable: 0 },
  lagBytes: 0,
})
