import type { Database } from 'bun:sqlite'
import type { Ballot, CodeState, NewVote, PollState } from '../vote-store.ts'

/** Reads the codes of ballots, and writes the uses of those that were counted, in the transaction of the group. */
export class CodeUses {
  readonly #statements: ReturnType<typeof prepare>

  constructor(file: Database) {
    this.#statements = prepare(file)
  }

  /** Undefined if no ballot has a code. */
  read(ballots: readonly Ballot[], polls: ReadonlyMap<number, PollState>): ReadonlyMap<Ballot, CodeState> | undefined {
    let states: Map<Ballot, CodeState> | undefined
    for (const ballot of ballots) {
      if (!ballot.code) continue
      const listKey = polls.get(ballot.pollKey)?.code_list_key ?? null
      const issued = listKey === null ? null : this.#statements.readCode.get(listKey, ballot.code)
      const isUsed = this.#statements.readUse.get(ballot.pollKey, ballot.code) !== null
      states ??= new Map()
      states.set(ballot, { isValid: issued?.is_revoked === 0, isUsed })
    }
    return states
  }

  write(votes: readonly NewVote[], polls: ReadonlyMap<number, PollState>): void {
    for (const { ballot } of votes) {
      if (!ballot.code) continue
      const listKey = polls.get(ballot.pollKey)?.code_list_key ?? null
      if (listKey === null) throw new Error('a vote with a code is written on a poll without a list')
      if (this.#statements.readAnyUse.get(listKey, ballot.code) === null) this.#statements.countUsed.run(listKey)
      this.#statements.addUse.run(ballot.pollKey, ballot.code)
    }
  }
}

const prepare = (file: Database) => ({
  readCode: file.query<{ is_revoked: 0 | 1 }, [number, Uint8Array]>(
    'select is_revoked from codes where list_key = ? and hash = ?',
  ),
  readUse: file.query<{ poll_key: number }, [number, Uint8Array]>(
    'select poll_key from code_uses where poll_key = ? and hash = ?',
  ),
  // A plus before each parameter, as in all joins (see `SteadyCompiler`).
  readAnyUse: file.query<{ poll_key: number }, [number, Uint8Array]>(
    `select poll_key from polls cross join code_uses on code_uses.poll_key = polls.key and hash = +?2
     where code_list_key = +?1 limit 1`,
  ),
  countUsed: file.query('update code_lists set used = used + 1 where key = ?'),
  addUse: file.query('insert into code_uses (poll_key, hash) values (?, ?)'),
})
