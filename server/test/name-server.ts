import { createSocket, type RemoteInfo } from 'node:dgram'
import { once } from 'node:events'
import { isIP } from 'node:net'

const TYPES = { A: 1, CNAME: 5, AAAA: 28 } as const
const CODES = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3 } as const
const HEADER_BYTES = 12
const IN = 1
const TTL_SECONDS = 60

export interface Zone {
  readonly code?: keyof typeof CODES
  /** The name is an alias of the last of these, each an alias of the next. */
  readonly aliases?: readonly string[]
  readonly addresses?: readonly string[]
  readonly afterMs?: number
  /** Questions of these types are never answered. */
  readonly ignores?: readonly ('A' | 'AAAA')[]
}

interface Question {
  readonly name: string
  readonly type: 'A' | 'AAAA'
  readonly at: number
}

export interface NameServer {
  /** For `Resolver.setServers`. */
  readonly address: string
  readonly questions: Question[]
  stop(): Promise<void>
}

/** A name server on UDP. `find` says how a name is answered. */
export async function startNameServer(find: (name: string) => Zone): Promise<NameServer> {
  const socket = createSocket('udp4')
  const questions: Question[] = []
  const answer = (question: Buffer, from: RemoteInfo) => {
    const asked = read(question)
    questions.push(asked)
    const zone = find(asked.name)
    if (zone.ignores?.includes(asked.type)) return
    const send = () => {
      if (!isStopped) socket.send(reply(question, asked, zone), from.port, from.address)
    }
    // Real time: a name server that takes its time.
    if (zone.afterMs) setTimeout(send, zone.afterMs)
    else send()
  }
  let isStopped = false
  socket.on('message', answer)
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    async stop() {
      isStopped = true
      socket.close()
      await once(socket, 'close')
    },
  }
}

function read(question: Buffer): Question {
  const labels: string[] = []
  let at = HEADER_BYTES
  for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const type = question.readUInt16BE(at + 1) === TYPES.AAAA ? 'AAAA' : 'A'
  return { name: labels.join('.').toLowerCase(), type, at: performance.now() }
}

const nameBytes = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.alloc(1),
  ])

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number))
  const [before = '', after = ''] = address.split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const zeros = Array.from({ length: 8 - groups(before).length - groups(after).length }, () => '0')
  const all = [...groups(before), ...(address.includes('::') ? zeros : []), ...groups(after)]
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex')
}

function record(owner: string, type: number, data: Buffer): Buffer {
  const fields = Buffer.alloc(10)
  fields.writeUInt16BE(type, 0)
  fields.writeUInt16BE(IN, 2)
  fields.writeUInt32BE(TTL_SECONDS, 4)
  fields.writeUInt16BE(data.length, 8)
  return Buffer.concat([nameBytes(owner), fields, data])
}

function reply(question: Buffer, { name, type }: Question, { code = 'NOERROR', aliases = [], addresses = [] }: Zone) {
  const owners = [name, ...aliases]
  const family = type === 'A' ? 4 : 6
  const records = [
    ...aliases.map((alias, i) => record(owners[i] ?? name, TYPES.CNAME, nameBytes(alias))),
    ...addresses
      .filter((address) => isIP(address) === family)
      .map((address) => record(owners.at(-1) ?? name, TYPES[type], addressBytes(address))),
  ]
  const end = HEADER_BYTES + nameBytes(name).length + 4
  const head = Buffer.from(question.subarray(0, end))
  // A response, recursion desired and available.
  head.writeUInt16BE(0x8180 | CODES[code], 2)
  head.writeUInt16BE(records.length, 6)
  head.writeUInt32BE(0, 8)
  return Buffer.concat([head, ...records])
}
