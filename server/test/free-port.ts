const FIRST = 20_000
const PER_PROCESS = 100
/** Up to 32,000: below the ports that the kernel gives to outgoing connections and to servers on port 0. */
const PROCESSES = 120

let claimed: number | null = null
let next = 0

/**
 * A port that is free now and that nobody else takes before it is bound: no connection is given one of this range, and the test
 * files that run beside this one look in other parts of it.
 */
export function freePort(): number {
  claimed ??= claimPart()
  for (let tried = 1; tried < PER_PROCESS; tried++) {
    const port = claimed + 1 + (next++ % (PER_PROCESS - 1))
    const probe = listenOn(port)
    probe?.stop(true)
    if (probe) return port
  }
  throw new Error('this process has taken all its ports')
}

/** A part of the range belongs to the process that listens on its first port, for as long as that process lives. */
function claimPart(): number {
  for (let tried = 0; tried < PROCESSES; tried++) {
    const first = FIRST + ((process.pid + tried) % PROCESSES) * PER_PROCESS
    const claim = listenOn(first)
    claim?.unref()
    if (claim) return first
  }
  throw new Error('other processes have taken all ports')
}

function listenOn(port: number) {
  try {
    return Bun.listen({ hostname: '0.0.0.0', port, socket: { data: () => undefined } })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return null
    throw error
  }
}
