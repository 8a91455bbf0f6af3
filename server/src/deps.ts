import type { Clock } from './base/clock.ts'
import type { Log } from './base/log.ts'
import type { Bus } from './bus/bus.ts'
import type { Changes } from './bus/changes.ts'
import type { Config } from './config.ts'
import type { DataKeys } from './db/data-keys.ts'
import type { Engine } from './db/store.ts'
import type { Limiter } from './http/limiter.ts'
import type { FileStore } from './storage/file-store.ts'
import type { Decoding } from './storage/pictures/decoding.ts'
import type { Unfinished } from './storage/unfinished.ts'

/** What every feature is handed. */
export interface Deps {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  readonly engine: Engine
  readonly keys: DataKeys
  readonly limiter: Limiter
  readonly files: FileStore
  readonly decoding: Decoding
  readonly bus: Bus
  readonly changes: Changes
  /** Where uploads wait until they are whole. */
  readonly uploads: Unfinished
}
