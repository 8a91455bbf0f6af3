import { join } from 'node:path'
import { runChild } from './child.mjs'
import { ensureInstalled, root } from './install.mjs'

// Settings come from the environment alone, nothing is fetched at run time, and the server does not outlive us.
const always = ['--no-env-file', '--no-install', '--no-orphans']

// However large the machine, garbage is collected as on one of this size: less memory at the same speed. See
// docs/decisions/016.
process.env.BUN_JSC_forceRAMSize ??= String(1024 ** 3)

/** Runs server/src/main.ts and exits as it exits. */
export async function runServer(args, bunFlags = []) {
  const bun = await ensureInstalled()
  const main = join(root, 'server', 'src', 'main.ts')
  process.exit(await runChild(bun, [...always, ...bunFlags, main, ...args], { stdio: 'inherit' }).exitCode)
}
