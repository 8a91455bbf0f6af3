/** Why a log does not hold, or could not be checked: the last three say nothing about the votes. */
export type LogFault =
  /** The checkpoint is not signed by the key. */
  | 'SIGNATURE_INVALID'
  /** An earlier checkpoint of the same log says something else: the log was changed, or shown to others in another form. */
  | 'NOT_EXTENDED'
  /** An entry is altered, missing, inserted or at another place: the entries do not have the signed hash. */
  | 'ENTRY_ALTERED'
  /** The entries are those of the log, and their sum is not the published tally. */
  | 'COUNT_DIFFERS'
  /** The tally has votes that the log does not have, or not yet: it should have them within a minute. */
  | 'LOG_BEHIND'
  /** The vote is not among the entries. */
  | 'VOTE_MISSING'
  /** The log does not serve a part of itself. */
  | 'TILE_MISSING'
  /** The document is no log, or is larger than this library reads. */
  | 'MALFORMED'
  /** This program cannot check signatures of Ed25519: an old browser, or a page without https. */
  | 'UNSUPPORTED'
  /** The service does not answer. */
  | 'UNREACHABLE'

export class LogError extends Error {
  override readonly name = 'LogError'
  readonly code: LogFault
  /** The first and the last vote, counted from 1, between which an altered entry is, if known. */
  readonly between: readonly [number, number] | null

  constructor(code: LogFault, message: string, between: LogError['between'] = null) {
    super(message)
    this.code = code
    this.between = between
  }
}
