import { runChild } from './child.mjs'
import { root } from './install.mjs'

/** Builds the program that tests start instead of the sources, because it starts in a third of the time. Resolves to its path. */
export async function buildProgram(bun, folder) {
  const args = ['--no-env-file', '--no-install', '--no-orphans', 'server/test/build-program.ts', folder]
  const { child, exitCode } = runChild(bun, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  const chunks = await child.stdout.setEncoding('utf8').toArray()
  const code = await exitCode
  if (code !== 0) throw new Error(`the program for the tests was not built: ${code}`)
  return chunks.join('').trim()
}
