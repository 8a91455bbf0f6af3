import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const root = new URL('../..', import.meta.url).pathname
export const tsc = join(root, 'node_modules/typescript/bin/tsc')
const sdk = join(root, 'sdk')

export async function run(command: string[], cwd: string) {
  const child = Bun.spawn(command, { cwd, stdout: 'pipe', stderr: 'pipe' })
  const [output, complaints, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { output: output + complaints, code }
}

export interface BuiltPackage {
  /** A project that has installed it, and React. */
  readonly place: string
  /** Where it lies there. */
  readonly home: string
  clear(): Promise<void>
}

/** The library as others have it: built, and without the rest of the repository. */
export async function buildPackage(): Promise<BuiltPackage> {
  const place = await mkdtemp(join(tmpdir(), 'tossup-sdk-'))
  const home = join(place, 'node_modules/@tossup/sdk')
  await mkdir(home, { recursive: true })
  for (const file of ['package.json', 'README.md', 'LICENSE', 'src'])
    await cp(join(sdk, file), join(home, file), { recursive: true })
  const built = await run([process.execPath, tsc, '-p', sdk, '--outDir', join(home, 'dist')], root)
  if (built.code !== 0) throw new Error(built.output)
  for (const name of ['react', 'react-dom', 'scheduler'])
    await symlink(join(root, 'node_modules', name), join(place, 'node_modules', name))
  await writeFile(join(place, 'package.json'), '{"type": "module"}')
  return { place, home, clear: () => rm(place, { recursive: true, force: true }) }
}
