import { bytesIn } from './entry.ts'
import { LogError } from './log-error.ts'
import type { Hash } from './tree.ts'

const ED25519 = 1
const HASH_BYTES = 32
const MOST_CHARACTERS = 10_000
/** Beyond this, nobody recounts a poll. */
const MOST_VOTES = 100_000_000

/** A signed statement of the log: it has so many entries, with this hash. */
export interface Checkpoint {
  readonly origin: string
  readonly size: number
  readonly root: Hash
  /** The text with its signatures. */
  readonly note: string
}

const encoder = new TextEncoder()

/** Reads a signed note of the log (C2SP tlog-checkpoint) and checks its signature by the key, `name+hash+base64`. */
export async function openCheckpoint(note: string, publicKey: string): Promise<Checkpoint> {
  const end = note.lastIndexOf('\n\n')
  const text = note.slice(0, end + 1)
  const [origin = '', size = '', root = ''] = text.split('\n', 3)
  const hash = bytesIn(root)
  const isSize = /^(0|[1-9]\d{0,8})$/.test(size) && Number(size) <= MOST_VOTES
  if (note.length > MOST_CHARACTERS || end < 0 || !origin || !isSize || hash?.length !== HASH_BYTES) {
    throw new LogError('MALFORMED', 'This is no checkpoint of a log of votes')
  }
  const [, name = '', id = '', key = ''] = /^([^+\s]{1,512})\+([\da-f]{8})\+([\w+/=]{1,100})$/.exec(publicKey) ?? []
  const bytes = bytesIn(key)
  if (bytes?.length !== HASH_BYTES + 1 || bytes[0] !== ED25519)
    throw new LogError('MALFORMED', 'This is no public key of a log')
  const own = new Uint8Array(await subtle().digest('SHA-256', joined(encoder.encode(`${name}\n`), bytes))).subarray(
    0,
    4,
  )
  const isOwn = Number.parseInt(id, 16) === new DataView(own.buffer).getUint32(0)
  const lines = note
    .slice(end + 2)
    .split('\n')
    .slice(0, 16)
  const prefix = `— ${name} `
  for (const line of isOwn && name === origin ? lines.filter((each) => each.startsWith(prefix)) : []) {
    const signature = bytesIn(line.slice(prefix.length))
    if (signature?.length !== 68 || !own.every((byte, i) => byte === signature[i])) continue
    if (await isSigned(bytes.subarray(1), signature.subarray(4), encoder.encode(text))) {
      return { origin, size: Number(size), root: hash, note }
    }
  }
  throw new LogError('SIGNATURE_INVALID', `The checkpoint is not signed by the key ${name}+${id}`)
}

/** Browsers have it on pages with https and on localhost. */
function subtle(): SubtleCrypto {
  const { crypto } = globalThis as { crypto?: Crypto }
  if (!crypto?.subtle) throw new LogError('UNSUPPORTED', 'This program has no WebCrypto: the page may lack https')
  return crypto.subtle
}

async function isSigned(key: Hash, signature: Hash, text: Hash): Promise<boolean> {
  const imported = await subtle()
    .importKey('raw', key, { name: 'Ed25519' }, false, ['verify'])
    .catch((error: unknown) => {
      const isUnknown = (error as Error).name === 'NotSupportedError'
      throw isUnknown
        ? new LogError('UNSUPPORTED', 'This program cannot check signatures of Ed25519')
        : new LogError('MALFORMED', 'This is no public key of a log')
    })
  return subtle().verify('Ed25519', imported, signature, text)
}

function joined(head: Uint8Array, rest: Uint8Array): Hash {
  const whole = new Uint8Array(head.length + rest.length)
  whole.set(head)
  whole.set(rest, head.length)
  return whole
}
