import type { Database } from 'bun:sqlite'
import type { AskedVotes, FoundVote } from '../store.ts'
import type { VoteDevices } from './vote-devices.ts'

/** By `VoteDevices`, because no statement can look up a vote by its device. */
export function createVoteLookup(file: Database, devices: VoteDevices): (asked: AskedVotes) => FoundVote[] {
  const readForgotten = file.query<{ forgotten_at: number }, [Uint8Array]>(
    'select forgotten_at from forgotten_devices where device = ?',
  )
  return ({ pollKeys, devices: asked }) => {
    if (pollKeys.length === 0 || asked.length === 0) return []
    const forgottenAt = asked.map((device) => readForgotten.get(device)?.forgotten_at ?? null)
    return [...devices.findStored(pollKeys, asked)].flatMap(([poll_key, votes]) =>
      votes.flatMap((vote, at) => {
        if (vote === null) return []
        const { option, votedAt, position } = vote
        const device = asked[at] as Uint8Array
        return { poll_key, device, option, voted_at: votedAt, position, forgotten_at: forgottenAt[at] ?? null }
      }),
    )
  }
}
