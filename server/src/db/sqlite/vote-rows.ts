import type { Database } from 'bun:sqlite'

/** The statements that store a vote and count it, for a group and for pending votes. */
export const prepareVoteRows = (file: Database) => ({
  addVote: file.query('insert into votes (poll_key, device, option, voted_at, position) values (?, ?, ?, ?, ?)'),
  /** Each group on a poll increments its version. */
  addTally: file.query(
    `update tallies set option_a = option_a + ?, option_b = option_b + ?, version = version + ?, updated_at = ?
     where poll_key = ?`,
  ),
  addCount: file.query(
    `insert into vote_counts (poll_key, width, at, option_a, option_b) values (?, ?, ?, ?, ?)
     on conflict (poll_key, width, at) do update
     set option_a = option_a + excluded.option_a, option_b = option_b + excluded.option_b`,
  ),
})
