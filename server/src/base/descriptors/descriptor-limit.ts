// base/descriptors: the limit of open files, and what is done when connections use it up.

import { readdirSync, readFileSync } from 'node:fs'

/** More than the default of STREAMS needs. */
export const ADVISED_DESCRIPTORS = 65_536

/** How many files and connections this process may have open; null where the system does not say so. */
export function descriptorLimit(): number | null {
  try {
    return parseLimit(readFileSync('/proc/self/limits', 'utf8'))
  } catch {
    return null
  }
}

/** How many this process has open; null where the system does not say so. */
export function openDescriptors(): number | null {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return null
  }
}

/** New connections will soon be refused. */
export const isNearLimit = (open: number, limit: number): boolean => open >= 0.8 * limit

/** The soft limit. The runtime has raised it to the hard limit at its start, which only root can raise. */
export function parseLimit(limits: string): number | null {
  const soft = /^Max open files\s+(\d+|unlimited)\s/m.exec(limits)?.[1]
  return soft === undefined || soft === 'unlimited' ? null : Number(soft)
}

/** How a limit is divided. The rest is for files, the database and child processes. */
export interface DescriptorShares {
  /** Beyond this number, connections are closed: idle ones first. */
  readonly connections: number
  readonly connectionsOfNetwork: number
  readonly streams: number
  /** Attempts of webhooks at once. */
  readonly deliveries: number
}

export function sharesOf(limit: number): DescriptorShares {
  const connections = Math.floor(limit - Math.min(0.4 * limit, 2_000))
  return {
    connections,
    connectionsOfNetwork: Math.floor(connections / 2),
    streams: Math.floor(connections - Math.min(connections / 3, 2_500)),
    deliveries: Math.floor(limit / 5),
  }
}
