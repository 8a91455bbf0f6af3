import { bunFlags, runChild } from './child.mjs'

// On any machine, collect garbage as if it had 1 GB of RAM: less memory at the same speed.
// docs/decisions/005.
process.env.BUN_JSC_forceRAMSize ??= String(1024 ** 3)
// Keep small gaps between used memory instead of handing each back to the system: every vote would fault some in again.
process.env.MIMALLOC_PURGE_HOLES ??= '0'
// Bun's pool has a thread for each core. The sync of votes needs a free one beside look-ups and uploads: docs/decisions/017.
process.env.UV_THREADPOOL_SIZE ??= '16'

/** The server exits by itself 15 s after DRAIN_SECONDS, unless its event loop is blocked. */
const killAfterMs = 20_000 + (Number(process.env.DRAIN_SECONDS) || 0) * 1_000

/** Runs a file with its arguments by Bun, and exits with its exit code. Flags of Bun come before the file. */
export async function runMain(bun, args) {
  // Set here and not above: dev.mjs sets another value after it has imported this file.
  process.env.NODE_ENV ??= 'production'
  process.exit(await runChild(bun, [...bunFlags, ...args], { killAfterMs }))
}
