import { cpSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { version } from '../../src/config/config.ts'
import { bundleOptions } from './bundle-options.ts'
import { thirdPartyNotices } from './third-party-notices.ts'

const ROOT = new URL('../../../', import.meta.url).pathname
/** The launcher, at the same paths as in the repository. */
const LAUNCHER = ['npm/tossup.mjs', 'child.mjs', 'find-bun.mjs', 'run-main.mjs']

/** Writes the npm package `tossup`: the server in one file, and the launcher that runs it with the package `bun`. */
export async function buildPackage(out: string): Promise<{ path: string; bytes: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'tossup-package-'))
  try {
    await Bun.build({ ...(await bundleOptions()), outdir: join(folder, 'dist'), naming: { entry: 'tossup.js' } })
    for (const name of LAUNCHER) cpSync(join(ROOT, 'scripts', name), join(folder, 'scripts', name))
    cpSync(join(ROOT, 'scripts/npm/README.md'), join(folder, 'README.md'))
    cpSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'))
    writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), thirdPartyNotices({ withBun: false }))
    writeFileSync(join(folder, 'package.json'), `${JSON.stringify(await manifest(), null, 2)}\n`)
    const path = join(out, `tossup-${version}.tgz`)
    rmSync(path, { force: true })
    await packInto(out, folder)
    return { path, bytes: statSync(path).size }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function manifest(): Promise<object> {
  const root = (await Bun.file(join(ROOT, 'package.json')).json()) as Record<string, unknown>
  return {
    name: root['name'],
    version,
    description: 'A self-hosted service for two-option polls: one vote per device, and an exact count',
    keywords: ['poll', 'polls', 'vote', 'voting', 'self-hosted'],
    license: root['license'],
    type: 'module',
    engines: root['engines'],
    bin: { tossup: 'scripts/npm/tossup.mjs' },
    files: ['scripts', 'dist', 'THIRD-PARTY-NOTICES.txt'],
    dependencies: root['dependencies'],
  }
}

async function packInto(out: string, folder: string): Promise<void> {
  const child = Bun.spawn(['npm', 'pack', '--loglevel=error', '--pack-destination', out], {
    cwd: folder,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'inherit',
  })
  if ((await child.exited) !== 0) throw new Error('npm pack failed')
}
