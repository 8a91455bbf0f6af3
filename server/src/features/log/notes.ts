import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import type { Bytes } from '../../base/secrets.ts'

const ED25519 = 1
/** Stands before the 32 bytes of a private key of Ed25519 in PKCS #8. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')
const KEY_BYTES = 32

export interface Checkpoint {
  readonly origin: string
  readonly size: number
  readonly root: Uint8Array
}

/** Signs checkpoints of all logs of the service with one key, as C2SP signed-note says: the origin of a log is the name of its key. */
export class NoteSigner {
  readonly #key: KeyObject
  readonly #publicKey: Buffer

  constructor(seed: Bytes) {
    this.#key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' })
    const publicKey = createPublicKey(this.#key).export({ format: 'der', type: 'spki' }).subarray(-KEY_BYTES)
    this.#publicKey = Buffer.concat([Buffer.of(ED25519), publicKey])
  }

  #keyHash(name: string): Buffer {
    return createHash('sha256').update(`${name}\n`).update(this.#publicKey).digest().subarray(0, 4)
  }

  /** The verifier key, which `note.NewVerifier` of Go reads. */
  verifierKey(name: string): string {
    return `${name}+${this.#keyHash(name).toString('hex')}+${this.#publicKey.toString('base64')}`
  }

  /** The same text whenever it is asked for: Ed25519 takes no random number. */
  checkpoint({ origin, size, root }: Checkpoint): string {
    const text = `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`
    const signature = Buffer.concat([this.#keyHash(origin), sign(null, Buffer.from(text), this.#key)])
    return `${text}\n— ${origin} ${signature.toString('base64')}\n`
  }
}
