import { firstLine } from './child-service.ts'
import type { Ports } from './hostile-receiver.ts'

const PROGRAM = new URL('./hostile-receiver.ts', import.meta.url).pathname

/** In their own process, with the lowest priority: their processor time is not the client's. Elsewhere they run on other machines. */
export async function startHostileReceivers(): Promise<{ ports: Ports; stop(): Promise<void> }> {
  const child = Bun.spawn(['nice', '-n', '19', process.execPath, '--no-orphans', PROGRAM], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const line = await firstLine(child.stdout)
  if (line === null) throw new Error('the receivers did not start')
  return {
    ports: JSON.parse(line),
    async stop() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}
