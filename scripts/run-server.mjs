import { join } from 'node:path'
import { ensureInstalled, root } from './install.mjs'
import { runMain } from './run-main.mjs'

/** Runs server/src/main.ts and exits with its exit code. */
export async function runServer(args, flags = []) {
  const bun = await ensureInstalled({ isForServer: true })
  await runMain(bun, [...flags, join(root, 'server', 'src', 'main.ts'), ...args])
}
