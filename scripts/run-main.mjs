import { runChild } from './child.mjs'

// Settings come only from the environment, nothing is downloaded at run time, and the server ends with this process.
const always = ['--no-env-file', '--no-install', '--no-orphans']

// On any machine, collect garbage as if it had 1 GB of RAM: less memory at the same speed. See
// docs/decisions/016.
process.env.BUN_JSC_forceRAMSize ??= String(1024 ** 3)

/** The server exits by itself 15 s after a signal, unless its event loop is blocked. */
const KILL_AFTER_MS = 20_000

/** Runs a file with its arguments by Bun, and exits with its exit code. */
export async function runMain(bun, fileAndArgs, bunFlags = []) {
  const options = { stdio: 'inherit', killAfterMs: KILL_AFTER_MS }
  process.exit(await runChild(bun, [...always, ...bunFlags, ...fileAndArgs], options).exitCode)
}
