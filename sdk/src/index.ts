export type {
  ExportFormat,
  PatchOptions,
  TossupOptions,
  UploadedFile,
  UploadOptions,
  WriteOptions,
} from './app-client.ts'
export { DEVICE_KEY, Device } from './device.ts'
export {
  type ClientCode,
  type DetailsOf,
  type ExistingVote,
  isTossupError,
  type ServiceCode,
  type TossupCode,
  TossupError,
} from './errors.ts'
export type * from './openapi.ts'
export { SessionClient } from './session-client.ts'
export { browserStore, type KeyValueStore, memoryStore } from './storage.ts'
export { type ThemePreset, themePresets } from './theme-presets.ts'
export type { ApiKey, Scope, TokenSource } from './tokens.ts'
export { Tossup } from './tossup.ts'
export {
  type CastOptions,
  type Option,
  type QueryOf,
  Visitor,
  type VisitorOptions,
  type VoteOptions,
  type VoteOrigin,
} from './visitor.ts'
export {
  mayArriveLater,
  type Outcome,
  type QueuedVote,
  type StandingVote,
  VoteQueue,
  type VoteQueueOptions,
} from './vote-queue.ts'
export type { WatchOptions } from './watch-tallies.ts'
export {
  type Delivery,
  verifyWebhook,
  WebhookError,
  type WebhookEvent,
  type WebhookEventType,
  type WebhookFault,
} from './webhooks.ts'
export { etagOf } from './wire/etag.ts'
export type { CallOptions, ServiceOptions } from './wire/http.ts'
export { List, type Page } from './wire/list.ts'
