const KEY = 'tossup-device'
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** For this page alone, where nothing may be kept. */
let inMemory: string | null = null

/** Null until the first vote: who only looks is given no name. */
export function knownDevice(): string | null {
  return stored() ?? inMemory
}

/** The device that votes: made at its first vote, and kept where that is allowed. */
export function ownDevice(): string {
  const known = knownDevice()
  if (known) return known
  const device = newDevice()
  inMemory = device
  try {
    localStorage.setItem(KEY, device)
  } catch {
    // Storage is denied or full: the vote counts all the same, and the page remembers it until it is left.
  }
  return device
}

function stored(): string | null {
  try {
    const device = localStorage.getItem(KEY)
    return device !== null && UUID.test(device) ? device : null
  } catch {
    return null
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
