import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const root = new URL('../..', import.meta.url).pathname
export const tsc = join(root, 'node_modules/typescript-native/bin/tsc')
/** The last compiler that resolves packages as Node 10 did. */
export const earlierTsc = join(root, 'node_modules/typescript/bin/tsc')
const sdk = join(root, 'sdk')

export async function run(command: string[], cwd: string) {
  const { stdout, stderr, code } = await runApart(command, cwd)
  return { output: stdout + stderr, code }
}

async function runApart(command: string[], cwd: string) {
  const child = Bun.spawn(command, { cwd, stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { stdout, stderr, code }
}

export interface BuiltPackage {
  /** A project with the library and React installed. */
  readonly place: string
  /** The installed library's folder. */
  readonly home: string
  /** The files that npm would publish. */
  readonly tarball: string
  clear(): Promise<void>
}

/** The library as users have it: built, packed and unpacked, without the rest of the repository. */
export async function buildPackage(): Promise<BuiltPackage> {
  const place = await mkdtemp(join(tmpdir(), 'tossup-sdk-'))
  const source = join(place, 'source')
  const home = join(place, 'node_modules/@tossup/sdk')
  await mkdir(home, { recursive: true })
  // Test files of one run share sdk/dist, so each packs a copy of its own.
  const copied = { recursive: true, filter: (path: string) => path !== join(sdk, 'dist') }
  await cp(sdk, source, copied)
  await checked([process.execPath, join(sdk, 'tools/build.mjs'), join(source, 'dist')], root)
  const packed = await checked(['npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', place], source)
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }]
  const tarball = join(place, filename)
  await checked(['tar', '-xzf', tarball, '-C', home, '--strip-components', '1'], place)
  await rm(source, { recursive: true })
  for (const name of ['react', 'react-dom', 'scheduler'])
    await symlink(join(root, 'node_modules', name), join(place, 'node_modules', name))
  await writeFile(join(place, 'package.json'), '{"type": "module"}')
  return { place, home, tarball, clear: () => rm(place, { recursive: true, force: true }) }
}

/** The standard output alone: npm prints warnings beside its JSON. */
async function checked(command: string[], cwd: string): Promise<string> {
  const { stdout, stderr, code } = await runApart(command, cwd)
  if (code !== 0) throw new Error(`${command.join(' ')}: ${stdout}${stderr}`)
  return stdout
}
