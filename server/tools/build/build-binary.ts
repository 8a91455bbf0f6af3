import { renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleOptions } from './bundle-options.ts'
import { thirdPartyNotices } from './third-party-notices.ts'

/**
 * Writes `tossup`, the server and Bun in one executable file for this platform. With bytecode it starts in half the time and
 * has 16 MB more.
 */
export async function buildBinary(
  out: string,
  { hasBytecode = false, ...entry }: { hasBytecode?: boolean; entrypoints?: string[] } = {},
): Promise<{ path: string; bytes: number }> {
  const path = join(out, 'tossup')
  const unfinished = `${path}.unfinished`
  await Bun.build({
    ...(await bundleOptions()),
    ...entry,
    ...(hasBytecode ? { bytecode: true, format: 'esm' } : {}),
    // Settings come only from the environment: the binary reads no file of the folder in which it is started.
    compile: { outfile: unfinished, autoloadDotenv: false, autoloadBunfig: false },
  })
  // A server may run from the earlier file.
  renameSync(unfinished, path)
  writeFileSync(join(out, 'THIRD-PARTY-NOTICES.txt'), thirdPartyNotices({ withBun: true }))
  return { path, bytes: statSync(path).size }
}
