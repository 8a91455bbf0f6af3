// Many test files wait more than they compute, so how many batches of them run at once follows the load of the machine and the room in PostgreSQL.
import { availableParallelism, cpus } from 'node:os'

const lookMs = 500
// There is room for another batch if this much of a core was idle since the last look.
const roomInCores = 0.3

/**
 * Runs `work` for each batch: one per core, and up to four times as many while a third of a core is idle. The next batch is the first
 * whose `needs` fit into the `room` that those that run leave.
 */
export async function runBeside(batches, work, { room = Number.POSITIVE_INFINITY, needs = () => 0 } = {}) {
  const left = [...batches]
  const { least, most } = bounds()
  const running = new Set()
  let used = 0
  const start = () => {
    const next = left.findIndex((batch) => running.size === 0 || used + needs(batch) <= room)
    if (next < 0) return false
    const [batch] = left.splice(next, 1)
    used += needs(batch)
    const one = work(batch).finally(() => {
      running.delete(one)
      used -= needs(batch)
    })
    running.add(one)
    return true
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
      while (left.length > 0 && running.size < least && start());
      await Promise.race(running)
    }
  } finally {
    clearInterval(looks)
  }
}

/** Processor time of all programs on the machine, in milliseconds of one core. */
export const busyMs = () => cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0)

function bounds() {
  const wanted = process.env.TEST_WORKERS
  if (wanted === undefined) return { least: availableParallelism(), most: 4 * availableParallelism() }
  if (!/^[1-9]\d?$/.test(wanted)) {
    process.stderr.write(`TEST_WORKERS: must be a number from 1 to 99, got ${JSON.stringify(wanted)}\n`)
    process.exit(1)
  }
  return { least: Number(wanted), most: Number(wanted) }
}
