import { join } from 'node:path'
import { ensureInstalled, root } from './install.mjs'
import { runMain } from './run-main.mjs'

/** Runs server/src/main.ts and exits with its exit code. */
export async function runServer(args, bunFlags = []) {
  const bun = await ensureInstalled({ isForServer: true })
  await runMain(bun, [join(root, 'server', 'src', 'main.ts'), ...args], bunFlags)
}
