export { DEVICE_KEY, Device } from '../device.ts'
export {
  type ClientCode,
  type DetailsOf,
  type ExistingVote,
  isTossupError,
  type ServiceCode,
  type TossupCode,
  TossupError,
} from '../errors.ts'
export type * from '../openapi.ts'
export { browserStore, type KeyValueStore, memoryStore } from '../storage.ts'
export {
  type CastOptions,
  type Option,
  type QueryOf,
  Visitor,
  type VisitorOptions,
  type VoteOptions,
  type VoteOrigin,
} from '../visitor.ts'
export type { WatchOptions } from '../watch-tallies.ts'
export type { CallOptions, ServiceOptions } from '../wire/http.ts'
export { List, type Page } from '../wire/list.ts'
