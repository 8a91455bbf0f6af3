import { dlopen, FFIType, ptr } from 'bun:ffi'

/** The place of a socket among those that listen on one port with SO_REUSEPORT. */
export interface PortPlace {
  readonly index: number
  readonly of: number
}

/** The C libraries of Linux, glibc and musl. */
const LIBRARIES = ['libc.so.6', `libc.musl-${process.arch === 'x64' ? 'x86_64' : 'aarch64'}.so.1`]
const SOL_SOCKET = 1
const SO_ACCEPTCONN = 30
const SO_ATTACH_REUSEPORT_CBPF = 51
const SO_DETACH_REUSEPORT_BPF = 68
const MOST_DESCRIPTORS = 4_096
const FILTER_BYTES = 16
const STEP_BYTES = 8

const { i32, ptr: pointer } = FFIType
const SIGNATURES = {
  getsockopt: { args: [i32, i32, i32, pointer, pointer], returns: i32 },
  setsockopt: { args: [i32, i32, i32, pointer, i32], returns: i32 },
  getsockname: { args: [i32, pointer, pointer], returns: i32 },
} as const

type Calls = ReturnType<typeof dlopen<typeof SIGNATURES>>['symbols']

/**
 * From now on the kernel gives new connections to the port to the other sockets that listen on it. Otherwise, closing this
 * socket would reset the connections that it was given and has not accepted yet. False where the system cannot do that.
 */
export function leavePort(port: number, place: PortPlace): boolean {
  return (
    place.of >= 2 && setOption(port, SO_ATTACH_REUSEPORT_CBPF, { value: filterWithout(place), length: FILTER_BYTES })
  )
}

/** Every socket that listens on the port gets new connections again. */
export const shareWholePort = (port: number): boolean =>
  setOption(port, SO_DETACH_REUSEPORT_BPF, { value: new Uint8Array(4), length: 4 })

/**
 * A `sock_fprog` and, behind it, the program to which it points, in classic BPF: a random number below `of - 1`, and one
 * more from `index` on. Both are in one buffer, because an address does not keep a buffer of its own from being collected.
 */
function filterWithout({ index, of }: PortPlace): Uint8Array {
  const [LOAD_RANDOM, MODULO, SKIP_UNLESS_AT_LEAST, ADD, RETURN] = [0x20, 0x94, 0x35, 0x04, 0x16]
  const RANDOM = 0xfffff038
  const steps = [
    { code: LOAD_RANDOM, value: RANDOM },
    { code: MODULO, value: of - 1 },
    { code: SKIP_UNLESS_AT_LEAST, orSkip: 1, value: index },
    { code: ADD, value: 1 },
    { code: RETURN, value: 0 },
  ]
  const filter = new Uint8Array(new ArrayBuffer(FILTER_BYTES + steps.length * STEP_BYTES))
  const bytes = new DataView(filter.buffer)
  bytes.setUint16(0, steps.length, true)
  bytes.setBigUint64(8, BigInt(ptr(filter) + FILTER_BYTES), true)
  for (const [i, { code = 0, orSkip = 0, value }] of steps.entries()) {
    const start = FILTER_BYTES + i * STEP_BYTES
    bytes.setUint16(start, code, true)
    bytes.setUint8(start + 3, orSkip)
    bytes.setUint32(start + 4, value, true)
  }
  return filter
}

function setOption(port: number, option: number, { value, length }: { value: Uint8Array; length: number }): boolean {
  const calls = openCalls()
  const descriptor = calls && listenerOn(calls, port)
  if (calls === null || descriptor === null) return false
  return calls.setsockopt(descriptor, SOL_SOCKET, option, value, length) === 0
}

function openCalls(): Calls | null {
  if (process.platform !== 'linux') return null
  for (const library of LIBRARIES) {
    try {
      return dlopen(library, SIGNATURES).symbols
    } catch {
      // Another C library.
    }
  }
  return null
}

/** Bun does not tell which descriptor it listens on. */
function listenerOn(calls: Calls, port: number): number | null {
  const [isListening, address, length] = [new Int32Array(1), new Uint8Array(28), new Int32Array(1)]
  for (let descriptor = 0; descriptor < MOST_DESCRIPTORS; descriptor++) {
    length[0] = isListening.byteLength
    const read = calls.getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, isListening, length)
    if (read !== 0 || isListening[0] !== 1) continue
    length[0] = address.byteLength
    if (calls.getsockname(descriptor, address, length) !== 0) continue
    if ((address[2] ?? 0) * 256 + (address[3] ?? 0) === port) return descriptor
  }
  return null
}
