import { cpus } from 'node:os'

/** The part of all cores that any program used while `work` ran. */
export async function withMachineShare<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly share: number }> {
  const before = machineTimes()
  const result = await work()
  const after = machineTimes()
  return { result, share: (after.busy - before.busy) / (after.all - before.all) }
}

function machineTimes() {
  const sum = (pick: (times: ReturnType<typeof cpus>[number]['times']) => number) =>
    cpus().reduce((total, { times }) => total + pick(times), 0)
  const busy = sum(({ user, nice, sys, irq }) => user + nice + sys + irq)
  return { busy, all: busy + sum(({ idle }) => idle) }
}
