import { readFileSync } from 'node:fs'

/**
 * The milliseconds that the event loop of a process has computed: the processor time of its main thread. Unlike the time of
 * an answer it does not depend on what else the machine does. Linux alone tells it.
 */
export function loopTime(pid: number): number {
  const text = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8')
  return Number(text.split(' ')[0]) / 1e6
}

/**
 * The longest time that the loop computed without answering others, while `work` runs: another client asks without a pause,
 * and each of its answers ends a turn.
 */
export async function longestTurn(pid: number, url: string, work: () => Promise<unknown>): Promise<number> {
  let isOver = false
  let longest = 0
  let before = Number.NaN
  const probe = async () => {
    while (!isOver) {
      await (await fetch(`${url}/livez`)).arrayBuffer()
      const now = loopTime(pid)
      longest = Math.max(longest, Number.isNaN(before) ? 0 : now - before)
      before = now
    }
  }
  const probing = probe()
  // Real time: the probe is running before the work begins.
  await Bun.sleep(PROBE_MS)
  longest = 0
  await work()
  isOver = true
  await probing
  return longest
}

const PROBE_MS = 5
