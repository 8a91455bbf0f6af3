import { UUID } from '../../../../sdk/src/device.ts'
import { pageStore } from './page-store.ts'

const KEY = 'tossup.voted'
const MOST_POLLS = 500

/** Concurrent writes must not overwrite each other. */
export const noted = new Set<string>()

/** Only polls that this device has voted on are asked about. */
export async function noteVote(pollId: string): Promise<void> {
  noted.add(pollId)
  const all = new Set([...(await kept()), ...noted])
  await pageStore.setItem(KEY, [...all].slice(-MOST_POLLS).join(' '))
}

export const hasVotedOn = async (pollId: string): Promise<boolean> => (await kept()).includes(pollId)

const kept = async (): Promise<string[]> =>
  ((await pageStore.getItem(KEY)) ?? '').split(' ').filter((id) => UUID.test(id))
