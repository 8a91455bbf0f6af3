import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

const sha256 = (bytes: string | Uint8Array): Buffer => createHash('sha256').update(bytes).digest()

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const WITH_KEY = 0x40

/** CBOR of what an attestation contains: small integers, bytes, text and maps. */
function cbor(value: number | string | Uint8Array | Map<unknown, unknown>): Buffer {
  if (typeof value === 'number') return value < 0 ? headOf(1, -1 - value) : headOf(0, value)
  if (typeof value === 'string') return Buffer.concat([headOf(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([headOf(2, value.length), value])
  const entries = [...value].flatMap(([key, item]) => [cbor(key as never), cbor(item as never)])
  return Buffer.concat([headOf(5, value.size), ...entries])
}

function headOf(major: number, size: number): Buffer {
  if (size < 24) return Buffer.from([(major << 5) | size])
  if (size < 256) return Buffer.from([(major << 5) | 24, size])
  return Buffer.from([(major << 5) | 25, size >> 8, size & 255])
}

interface Ceremony {
  readonly challenge: string
  readonly origin: string
  readonly rpId?: string
  readonly isVerified?: boolean
}

/** An authenticator of which a test controls what no real one would do: another origin, an old counter, an old challenge. */
export class SoftwarePasskey {
  counter = 0
  readonly id = randomBytes(16).toString('base64url')
  readonly #key: KeyObject
  readonly #cose: Buffer

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.#key = privateKey
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    const coordinates = [x, y].map((text) => Buffer.from(text, 'base64url'))
    this.#cose = cbor(
      new Map<number, number | Buffer>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, coordinates[0] ?? Buffer.alloc(0)],
        [-3, coordinates[1] ?? Buffer.alloc(0)],
      ]),
    )
  }

  create(ceremony: Ceremony): Record<string, unknown> {
    const id = Buffer.from(this.id, 'base64url')
    const length = Buffer.from([0, id.length])
    const authData = Buffer.concat([this.#authData(ceremony, WITH_KEY), Buffer.alloc(16), length, id, this.#cose])
    const attestationObject = cbor(
      new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ]),
    )
    return this.#credential({
      clientDataJSON: clientData('webauthn.create', ceremony).toString('base64url'),
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal'],
    })
  }

  get(ceremony: Ceremony): Record<string, unknown> {
    this.counter++
    const authData = this.#authData(ceremony, 0)
    const client = clientData('webauthn.get', ceremony)
    const signature = sign('sha256', Buffer.concat([authData, sha256(client)]), this.#key)
    return this.#credential({
      clientDataJSON: client.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: signature.toString('base64url'),
    })
  }

  #credential = (response: Record<string, unknown>) => ({
    id: this.id,
    rawId: this.id,
    type: 'public-key',
    clientExtensionResults: {},
    response,
  })

  #authData({ rpId = 'localhost', isVerified = true }: Ceremony, flags: number): Buffer {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(this.counter)
    return Buffer.concat([
      sha256(rpId),
      Buffer.from([flags | USER_PRESENT | (isVerified ? USER_VERIFIED : 0)]),
      counter,
    ])
  }
}

const clientData = (type: string, { challenge, origin }: Ceremony): Buffer =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
