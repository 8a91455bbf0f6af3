import { dlopen, FFIType } from 'bun:ffi'

/** A connection to one of our own ports, as the kernel sees it. */
export interface Connection {
  readonly descriptor: number
  readonly peer: string
  /** The peer's IPv4 address, or its /64 of IPv6. */
  readonly network: string
  readonly peerPort: number
  readonly hasSent: boolean
  /** The last bytes went from us to the client, and it has them: no request is waiting for its answer. */
  readonly isAnswered: boolean
  readonly receivedBytes: number
  readonly msSinceReceived: number
  readonly msSinceSent: number
}

export interface Sockets {
  /** Of these descriptors, the connections that clients have opened to a port. */
  connections(port: number, from: number, to: number): Connection[]
  /** Ends a connection: the server sees that its client has left, and closes it. False if it is gone already. */
  end(connection: Connection): boolean
}

const SOL_TCP = 6
const TCP_INFO = 11
const ESTABLISHED = 1
const SHUT_RDWR = 2
const IPV4 = 2
const IPV6 = 10

/** Offsets in `struct tcp_info`, which only ever grows at its end. */
const UNACKED = 24
const LAST_DATA_SENT = 44
const LAST_DATA_RECEIVED = 52
const BYTES_ACKED = 120
const BYTES_RECEIVED = 128
const NOT_SENT = 144
const INFO_BYTES = 148

const { i32, ptr } = FFIType
const SIGNATURES = {
  getsockopt: { args: [i32, i32, i32, ptr, ptr], returns: i32 },
  getsockname: { args: [i32, ptr, ptr], returns: i32 },
  getpeername: { args: [i32, ptr, ptr], returns: i32 },
  shutdown: { args: [i32, i32], returns: i32 },
} as const

/** The C libraries of Linux, glibc and musl. */
export const LIBRARIES = ['libc.so.6', `libc.musl-${process.arch === 'x64' ? 'x86_64' : 'aarch64'}.so.1`]

/** Null where this is not Linux, or its C library is not found. Bun itself tells nothing of connections without a request. */
export function openSockets(): Sockets | null {
  if (process.platform !== 'linux') return null
  for (const library of LIBRARIES) {
    try {
      return socketsOf(dlopen(library, SIGNATURES).symbols)
    } catch {
      // Another C library.
    }
  }
  return null
}

type Calls = ReturnType<typeof dlopen<typeof SIGNATURES>>['symbols']

function socketsOf(calls: Calls): Sockets {
  const address = new Uint8Array(28)
  const bytes = new Uint8Array(INFO_BYTES)
  const info = new DataView(bytes.buffer)
  const length = new Int32Array(1)

  const read = (call: Calls['getsockname'], descriptor: number): boolean => {
    length[0] = address.byteLength
    return call(descriptor, address, length) === 0
  }
  const portRead = () => (address[2] ?? 0) * 256 + (address[3] ?? 0)

  function connection(descriptor: number): Connection | null {
    length[0] = INFO_BYTES
    if (calls.getsockopt(descriptor, SOL_TCP, TCP_INFO, bytes, length) !== 0 || length[0] !== INFO_BYTES) return null
    if (info.getUint8(0) !== ESTABLISHED || !read(calls.getpeername, descriptor)) return null
    const receivedBytes = Number(info.getBigUint64(BYTES_RECEIVED, true))
    const hasAnswer = info.getBigUint64(BYTES_ACKED, true) > 0n
    const msSinceReceived = info.getUint32(LAST_DATA_RECEIVED, true)
    const msSinceSent = info.getUint32(LAST_DATA_SENT, true)
    const isFlushed = info.getUint32(UNACKED, true) === 0 && info.getUint32(NOT_SENT, true) === 0
    return {
      descriptor,
      ...peerOf(address),
      peerPort: portRead(),
      hasSent: receivedBytes > 0,
      isAnswered: isFlushed && hasAnswer && msSinceSent <= msSinceReceived,
      receivedBytes,
      msSinceReceived,
      msSinceSent,
    }
  }

  return {
    connections(port, from, to) {
      const found: Connection[] = []
      for (let descriptor = from; descriptor < to; descriptor++) {
        if (!read(calls.getsockname, descriptor) || !isInternet(address) || portRead() !== port) continue
        const open = connection(descriptor)
        if (open) found.push(open)
      }
      return found
    },
    end({ descriptor, peerPort }) {
      // Another connection may have this descriptor by now.
      if (!read(calls.getpeername, descriptor) || portRead() !== peerPort) return false
      return calls.shutdown(descriptor, SHUT_RDWR) === 0
    },
  }
}

const isInternet = (address: Uint8Array): boolean => address[0] === IPV4 || address[0] === IPV6

function peerOf(address: Uint8Array): Pick<Connection, 'peer' | 'network'> {
  const isMapped =
    address[0] === IPV6 &&
    address.subarray(8, 18).every((byte) => byte === 0) &&
    address[18] === 255 &&
    address[19] === 255
  if (address[0] === IPV4 || isMapped) {
    const peer = (isMapped ? address.subarray(20, 24) : address.subarray(4, 8)).join('.')
    return { peer, network: peer }
  }
  const groups = Buffer.from(address.subarray(8, 24)).toString('hex').match(/..../g) ?? []
  return { peer: groups.join(':'), network: groups.slice(0, 4).join(':') }
}
