/** What a server stores while more votes come than it can store. */
export interface Capacity {
  readonly perSecond: number
  /** Processor time of the server for each vote. */
  readonly microseconds: number
  /** Of the time in which the server wanted a core, the part in which it had one. */
  readonly share: number
}

/** The same server with another share of its core: on a busy machine a show does not get the share of the burst that measured it. */
export function withShare({ perSecond, microseconds, share }: Capacity, now: number): Capacity {
  return { perSecond: (perSecond * now) / share, microseconds, share: now }
}

/** Of a core that the server has for itself, as the simulator supposes: time in which it waits for the core is spent, too. */
export const occupiedMicroseconds = ({ perSecond, microseconds, share }: Capacity): number =>
  Math.min(microseconds / share, 1e6 / perSecond)

export const middleOf = ([slow, fast]: readonly [Capacity, Capacity]): Capacity => ({
  perSecond: (slow.perSecond + fast.perSecond) / 2,
  microseconds: (slow.microseconds + fast.microseconds) / 2,
  share: (slow.share + fast.share) / 2,
})
