// features: a folder each. A feature imports only those before it in .dependency-cruiser.mjs; effects the other way go
// through the outbox.
import type { Clock } from '../base/clock.ts'
import type { Isolation } from '../base/isolation/isolated-work.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../config/config.ts'
import type { DataKeys } from '../db/data-keys.ts'
import type { Engine } from '../db/store.ts'
import type { Bus } from '../events/bus.ts'
import type { Changes } from '../events/changes.ts'
import type { FileStore, Unfinished } from '../files/file-store.ts'
import type { Decoding } from '../files/pictures/decoding.ts'
import type { Limiter } from '../http/limits/limits.ts'
import type { ProxyWatch } from '../http/network.ts'

/** The dependencies of every feature. */
export interface Deps {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  readonly engine: Engine
  readonly keys: DataKeys
  readonly limiter: Limiter
  readonly proxyWatch: ProxyWatch
  readonly files: FileStore
  readonly isolation: Isolation
  readonly decoding: Decoding
  readonly bus: Bus
  readonly changes: Changes
  /** The folder for uploads that are not complete yet. */
  readonly uploads: Unfinished
}

/** The dependencies of writes that CLI commands make too. */
export type WriteDeps = Pick<Deps, 'bus' | 'changes' | 'clock' | 'config' | 'engine'>
