import { ownCommand } from '../../base/own-program.ts'
import type { Report } from './messages.ts'
import type { WorkerProcess } from './supervisor.ts'

const ENTRY = new URL('./worker-process.ts', import.meta.url)

/** The worker inherits our settings and our log. */
export function spawnWorker(onReport: (report: Report) => void): WorkerProcess {
  const child = Bun.spawn(ownCommand(ENTRY), {
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'inherit',
    serialization: 'json',
    ipc: (message) => onReport(message as Report),
  })
  return {
    pid: child.pid,
    send(order) {
      // A process that has ended cannot receive: `exited` reports its end.
      if (child.exitCode === null && child.signalCode === null) child.send(order)
    },
    kill: (signal) => child.kill(signal),
    exited: child.exited,
  }
}
