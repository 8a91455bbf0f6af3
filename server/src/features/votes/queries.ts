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

/** When the device voted on each of these polls that it has voted on. */
export async function timesOfVotes(
  { db, votesOf }: Reader,
  { device, pollKeys }: { device: Uint8Array; pollKeys: readonly number[] },
): Promise<ReadonlyMap<number, number>> {
  const votes = await votesOf(db, { pollKeys, devices: [device] })
  return new Map(votes.map(({ poll_key, voted_at }) => [poll_key, voted_at]))
}
