// db/postgres/ballots: what a ballot brings beside its option: where it comes from, and the code that admits it.

import type { Ballot, CodeState, NewVote } from '../../vote-store.ts'

const HASH_BYTES = 16

/** Hashes are sent as one byte string, as devices are. */
const HASH_AT = `substring($2::bytea from (given.at::int - 1) * ${HASH_BYTES} + 1 for ${HASH_BYTES})`

/** Two groups with one code on two polls would both take it for its first use. */
export const LOCK_LISTS = {
  name: 'ledger-lock-lists',
  text: `select key from code_lists
    where key = any (array(select code_list_key from polls where key = any($1::bigint[]) and code_list_key is not null))
    order by key for no key update`,
}

/** After the lock of the polls, in a statement of its own: it sees every use and every revocation that was committed before. */
export const READ_CODES = {
  name: 'ledger-codes',
  text: `select given.at::int as at, coalesce(issued.is_revoked = 0, false) as "isValid", used.poll_key is not null as "isUsed"
    from unnest($1::bigint[]) with ordinality as given (poll_key, at)
    left join lateral (select code_list_key from polls where polls.key = given.poll_key offset 0) as poll on true
    left join lateral (
      select is_revoked from codes where codes.list_key = poll.code_list_key and codes.hash = ${HASH_AT} offset 0
    ) as issued on true
    left join lateral (
      select poll_key from code_uses where code_uses.poll_key = given.poll_key and code_uses.hash = ${HASH_AT} offset 0
    ) as used on true`,
}

/** Before the uses of the group are written, so that every use that it finds is an earlier one. */
export const COUNT_USED = {
  name: 'ledger-count-used',
  text: `update code_lists set used = used + gain.codes
    from (
      select poll.code_list_key, count(distinct hash) as codes
      from (
        select given.poll_key, ${HASH_AT} as hash from unnest($1::bigint[]) with ordinality as given (poll_key, at) offset 0
      ) as fresh
      cross join lateral (select code_list_key from polls where polls.key = fresh.poll_key offset 0) as poll
      left join lateral (
        select true as is_known
        from (select key from polls where polls.code_list_key = poll.code_list_key offset 0) as other
        cross join lateral (
          select from code_uses where code_uses.poll_key = other.key and code_uses.hash = fresh.hash offset 0
        ) as earlier
        limit 1
      ) as known on true
      where is_known is null
      group by poll.code_list_key
    ) as gain
    where code_lists.key = gain.code_list_key`,
}

/** In the order of hashes, so that the rows of a group do not tell theirs. */
export const ADD_USES = {
  name: 'ledger-add-uses',
  text: `insert into code_uses (poll_key, hash)
    select poll_key, ${HASH_AT} as hash from unnest($1::bigint[]) with ordinality as given (poll_key, at)
    order by poll_key, hash`,
}

type Coded = Ballot & { readonly code: Uint8Array }

const hasCode = (ballot: Ballot): ballot is Coded => ballot.code instanceof Uint8Array

export const codedBallots = (ballots: readonly Ballot[]): Coded[] => ballots.filter(hasCode)

export const codedVotes = (votes: readonly NewVote[]): Coded[] => codedBallots(votes.map(({ ballot }) => ballot))

export const codeValues = (coded: readonly Coded[]): unknown[] => [
  coded.map(({ pollKey }) => pollKey),
  Buffer.concat(coded.map(({ code }) => code)),
]

export const codeStates = (
  coded: readonly Coded[],
  rows: readonly (CodeState & { readonly at: number })[],
): ReadonlyMap<Ballot, CodeState> =>
  new Map(rows.flatMap(({ at, ...state }) => (coded[at - 1] ? [[coded[at - 1] as Ballot, state] as const] : [])))
