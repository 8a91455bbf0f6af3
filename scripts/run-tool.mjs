// Runs a TypeScript file of bench/ or server/tools, with our other arguments, and exits with its exit code.
import { bunFlags, runChild } from './child.mjs'
import { ensureInstalled, root } from './install.mjs'

const args = process.argv.slice(2)
const bun = await ensureInstalled({ isForServer: args[0].startsWith('server/') })
// The PostgreSQL server on which the runs create their databases.
if (process.env.BENCH_DATABASE_URL) process.env.TEST_DATABASE_URL = process.env.BENCH_DATABASE_URL
process.exit(await runChild(bun, [...bunFlags, ...args], { cwd: root }))
