import { leavePort, type PortPlace } from '../../base/descriptors/leave-port.ts'
import type { Log } from '../../base/log.ts'

const NOT_LEFT =
  'this system cannot take a process off its port: connections that it has not accepted yet will fail. The restart goes on.'

/** A restart that could reset some connections is better than one that stops halfway. */
export function takeOffPort(port: number, place: PortPlace, log: Pick<Log, 'warn'>): void {
  if (!leavePort(port, place)) log.warn(place, NOT_LEFT)
}
