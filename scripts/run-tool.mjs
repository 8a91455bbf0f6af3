import { join } from 'node:path'
import { runChild } from './child.mjs'
import { ensureInstalled, root } from './install.mjs'

/** Runs a TypeScript file of bench/ with our own arguments and exits with its exit code. */
export async function runTool(file) {
  const bun = await ensureInstalled()
  // The PostgreSQL server on which the runs create their databases.
  const { BENCH_DATABASE_URL } = process.env
  const env = BENCH_DATABASE_URL ? { ...process.env, TEST_DATABASE_URL: BENCH_DATABASE_URL } : process.env
  const args = ['--no-env-file', '--no-install', '--no-orphans', join(root, 'bench', file), ...process.argv.slice(2)]
  process.exit(await runChild(bun, args, { cwd: root, env, stdio: 'inherit' }).exitCode)
}
