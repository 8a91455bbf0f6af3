// cli/workers: several processes of one server, and the process that supervises them.

import type { ProcessRole } from '../../app/process-role.ts'
import type { Greeting } from '../greeting.ts'

/** A message from the supervisor to a worker. */
export type Order =
  | { readonly kind: 'start'; readonly how: WorkerStart }
  /** Another worker has taken this one's place: answer what is open, and end. */
  | { readonly kind: 'leave' }

export interface WorkerStart {
  readonly slot: number
  /** Null for the first worker, which takes PORT as it is. */
  readonly port: number | null
  readonly role: ProcessRole
  /** The same for all processes of one server. */
  readonly serverName: string
  /** Creates the demo, and says how to reach it. */
  readonly greets: boolean
}

/** A message from a worker to the supervisor. */
export type Report =
  | { readonly kind: 'listening'; readonly port: number; readonly greeting: Greeting | null }
  | { readonly kind: 'failed'; readonly message: string; readonly isPlain: boolean }
