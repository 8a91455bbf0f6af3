/** The page that checks the count of a poll. `{…}` stands for a value. */
export interface CheckWords {
  readonly title: string
  readonly intro: string
  readonly noScript: string
  readonly counting: string
  readonly waiting: string
  readonly sound: string
  readonly soundText: string
  readonly bad: string
  readonly badText: string
  readonly unsure: string
  readonly unsureText: string
  readonly signature: string
  readonly signed: string
  readonly signedFile: string
  readonly signatureBad: string
  readonly seen: string
  readonly seenFirst: string
  readonly seenSame: string
  readonly seenBad: string
  readonly restartSame: string
  readonly restartBad: string
  readonly recount: string
  readonly counted: string
  readonly countedFile: string
  readonly altered: string
  readonly between: string
  readonly missing: string
  readonly differs: string
  readonly behind: string
  readonly own: string
  readonly ownNone: string
  readonly ownFound: string
  readonly ownBad: string
  readonly notChecked: string
  readonly restarted: string
  readonly shows: string
  readonly showsList: readonly string[]
  readonly not: string
  /** In place of the first of `notList`, where each vote has a code. */
  readonly notByCode: string
  readonly notList: readonly string[]
  readonly keep: string
  readonly keepText: string
  readonly download: string
  readonly choose: string
  readonly file: string
  readonly otherFile: string
  readonly evidence: string
  readonly evidenceText: string
  readonly again: string
  readonly byHand: string
  readonly unsupported: string
  readonly unreachable: string
  readonly malformed: string
}
