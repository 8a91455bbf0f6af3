const FIRST = 20_000
const PER_PROCESS = 100
/** Up to 32,000: below the ports that the kernel gives to outgoing connections and to servers on port 0. */
const PROCESSES = 120

let next = 0

/**
 * A port that is free now and that nobody else takes before it is bound: no connection is given one of this range, and the test
 * files that run beside this one, in processes with numbers nearby, look in other parts of it.
 */
export function freePort(): number {
  for (let tried = 0; tried < PER_PROCESS; tried++) {
    const port = FIRST + (process.pid % PROCESSES) * PER_PROCESS + (next++ % PER_PROCESS)
    if (isFree(port)) return port
  }
  throw new Error('this process has taken all its ports')
}

function isFree(port: number): boolean {
  try {
    Bun.listen({ hostname: '0.0.0.0', port, socket: { data: () => undefined } }).stop(true)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return false
    throw error
  }
}
