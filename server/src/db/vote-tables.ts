export type OptionName = 'A' | 'B'

export interface TalliesTable {
  poll_key: number
  option_a: number
  option_b: number
  version: number
  updated_at: number
}

/** Also what the view `device_votes` shows, for who looks for votes by their device. */
export interface VotesTable {
  poll_key: number
  device: Uint8Array
  option: OptionName
  voted_at: number
  position: number
}

export interface VoteCountsTable {
  poll_key: number
  width: number
  at: number
  option_a: number
  option_b: number
}

export interface ForgottenDevicesTable {
  device: Uint8Array
  forgotten_at: number
}

/** A view: who has voted and is not forgotten, and when first and last. */
export interface GuestsView {
  device: Uint8Array
  first_seen_at: number
  last_seen_at: number
}
