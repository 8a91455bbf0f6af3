import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** A self-signed certificate for tests that use TLS, generated on demand so that no key is stored in the repository. */
export function selfSigned(names: readonly string[]): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const algorithm = sequence(oid('2a8648ce3d040302'))
  const name = sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from('tossup test')))))
  const year = 365 * 86_400_000
  const alternatives = sequence(...names.map((each) => der(0x82, Buffer.from(each))))
  const extensions = sequence(
    sequence(oid('551d11'), octets(alternatives)),
    sequence(oid('551d13'), der(0x01, Buffer.from([0xff])), octets(sequence(der(0x01, Buffer.from([0xff]))))),
  )
  const body = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    sequence(time(Date.now() - year), time(Date.now() + year)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  )
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)]))
  const certificate = sequence(body, algorithm, signature)
  const lines = certificate.toString('base64').replace(/(.{64})/g, '$1\n')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  }
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  const bytes: number[] = []
  for (let rest = length; rest > 0; rest >>= 8) bytes.unshift(rest & 0xff)
  const head = length < 0x80 ? [length] : [0x80 + bytes.length, ...bytes]
  return Buffer.concat([Buffer.from([tag, ...head]), content])
}

const sequence = (...parts: Buffer[]): Buffer => der(0x30, Buffer.concat(parts))
const octets = (content: Buffer): Buffer => der(0x04, content)
const integer = (content: Buffer): Buffer => der(0x02, content)
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'))

const time = (milliseconds: number): Buffer =>
  der(0x18, Buffer.from(new Date(milliseconds).toISOString().replace(/[-:T]|\.\d+/g, '')))
