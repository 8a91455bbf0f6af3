import { join } from 'node:path'
import { runChild } from './child.mjs'
import { ensureInstalled, root } from './install.mjs'

const bun = await ensureInstalled({ isForServer: true })
const build = join(root, 'server', 'tools', 'build', 'build.ts')
const args = ['--no-env-file', '--no-install', '--no-orphans', build, ...process.argv.slice(2)]
process.exit(await runChild(bun, args, { stdio: 'inherit' }).exitCode)
