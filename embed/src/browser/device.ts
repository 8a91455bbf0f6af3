/** Where the client library keeps it too: on one page the two are one device. */
const DEVICE = 'tossup.device'
const VOTES = 'tossup.votes'
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const MOST_VOTES = 500

/** For this page alone, where nothing may be kept. */
const inMemory = new Map<string, string>()

/** Null until the first vote: who only looks is given no name. */
export function knownDevice(): string | null {
  const device = recall(DEVICE)
  return device !== null && UUID.test(device) ? device : null
}

/** The device that votes: made at its first vote, and kept where that is allowed. */
export function ownDevice(): string {
  const device = knownDevice() ?? newDevice()
  keep(DEVICE, device)
  return device
}

/** So that only those polls are asked about that this device has voted on. */
export function noteVote(pollId: string): void {
  const others = votedOn().filter((id) => id !== pollId)
  keep(VOTES, [...others, pollId].slice(-MOST_VOTES).join(' '))
}

export const hasVotedOn = (pollId: string): boolean => votedOn().includes(pollId)

const votedOn = (): string[] => (recall(VOTES) ?? '').split(' ').filter((id) => UUID.test(id))

function recall(key: string): string | null {
  try {
    return localStorage.getItem(key) ?? inMemory.get(key) ?? null
  } catch {
    return inMemory.get(key) ?? null
  }
}

/** Storage may be denied or full: the vote counts all the same, and the page remembers it until it is left. */
function keep(key: string, value: string): void {
  inMemory.set(key, value)
  try {
    localStorage.setItem(key, value)
  } catch {
    // Nothing to be done: it stays in memory.
  }
}

/** `crypto.randomUUID` is missing on pages that came over plain http. */
function newDevice(): string {
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID()
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
