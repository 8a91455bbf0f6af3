// Many test files wait more than they compute, so how many run at once follows the load of the machine.
import { availableParallelism, cpus } from 'node:os'

const lookMs = 1_000
// There is room for another file if this much of a core was idle since the last look.
const roomInCores = 0.5

/** Runs `work` for each file in their order: one per core, and up to three times as many while half a core is idle. */
export async function runBeside(files, work) {
  const left = [...files]
  const { least, most } = bounds()
  const running = new Set()
  const start = () => {
    const one = work(left.shift()).finally(() => running.delete(one))
    running.add(one)
  }
  let before = busyMs()
  let lookedAt = performance.now()
  const looks = setInterval(() => {
    const [after, now] = [busyMs(), performance.now()]
    const idleCores = availableParallelism() - (after - before) / (now - lookedAt)
    if (left.length > 0 && running.size < most && idleCores > roomInCores) start()
    before = after
    lookedAt = now
  }, lookMs)
  try {
    while (left.length > 0 || running.size > 0) {
      while (left.length > 0 && running.size < least) start()
      await Promise.race(running)
    }
  } finally {
    clearInterval(looks)
  }
}

/** Of all programs on the machine, in milliseconds of one core. */
export const busyMs = () => cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0)

function bounds() {
  const wanted = process.env.TEST_WORKERS
  if (wanted === undefined) return { least: availableParallelism(), most: 3 * availableParallelism() }
  if (!/^[1-9]\d?$/.test(wanted)) {
    process.stderr.write(`TEST_WORKERS: must be a number from 1 to 99, got ${JSON.stringify(wanted)}\n`)
    process.exit(1)
  }
  return { least: Number(wanted), most: Number(wanted) }
}
