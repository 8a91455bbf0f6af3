import { setTimeout as pause } from 'node:timers/promises'
import type { Service } from '../app/start.ts'
import type { Log } from '../base/log.ts'

/** Requests have 10 s of it; a service manager that waits longer than 20 s finds the process gone. */
export const STOP_WITHIN_MS = 15_000

interface Surroundings {
  readonly log: Log
  readonly exit: (code: number) => void
  readonly withinMs?: number
}

/** Work that does not end in time is cut off as by a crash. That loses no acknowledged vote: those are on the disk. */
export async function stopService(
  service: Pick<Service, 'stop' | 'stillOpen'>,
  { log, exit, withinMs = STOP_WITHIN_MS }: Surroundings,
): Promise<void> {
  const late = setTimeout(() => {
    log.fatal({ stillOpen: service.stillOpen, afterMs: withinMs }, 'stopped without waiting any longer')
    log.flush()
    exit(1)
  }, withinMs)
  try {
    await service.stop()
  } finally {
    clearTimeout(late)
  }
}

/** Serves on for DRAIN_SECONDS while `/readyz` says 503, so that a load balancer sends nothing more when the port is closed. */
export async function drainThenStop(
  service: Pick<Service, 'announceStop' | 'stop' | 'stillOpen'>,
  { drainSeconds, ...surroundings }: Surroundings & { readonly drainSeconds: number },
): Promise<void> {
  if (drainSeconds > 0) {
    service.announceStop()
    surroundings.log.info({ drainSeconds }, 'not ready any more, and still serving')
    await pause(drainSeconds * 1_000)
  }
  await stopService(service, surroundings)
}

/** Aborted by SIGTERM or SIGINT. For a command that runs until it is stopped. */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopping.abort())
  return stopping.signal
}

/** The first signal starts a graceful stop; a second one ends the process at once, after `atOnce`. */
export const nextSignal = (atOnce: () => void = () => undefined): Promise<string> =>
  new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        process.once(signal, () => {
          atOnce()
          process.exit(1)
        })
        resolve(signal)
      })
    }
  })
