import type { Engine, FoundVote } from '../../db/store.ts'

type Reader = Pick<Engine, 'db' | 'votesOf'>

export async function findVote(
  { db, votesOf }: Reader,
  pollKey: number,
  device: Uint8Array,
): Promise<FoundVote | undefined> {
  const [vote] = await votesOf(db, { pollKeys: [pollKey], devices: [device] })
  return vote
}

/** The keys of the polls, among these, that the device voted on. */
export async function pollsVotedOn(
  { db, votesOf }: Reader,
  { device, pollKeys }: { device: Uint8Array; pollKeys: readonly number[] },
): Promise<ReadonlySet<number>> {
  const votes = await votesOf(db, { pollKeys, devices: [device] })
  return new Set(votes.map(({ poll_key }) => poll_key))
}
