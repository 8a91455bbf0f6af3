import { chmod, cp, mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from './documents.ts'

export const NODE = Bun.which('node') ?? 'node'

/** Copies the files that `npm start` needs before anything is installed. */
export async function newClone(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tossup-clone-'))
  await chmod(folder, 0o755)
  const { workspaces } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { workspaces: string[] }
  const files = [
    'package.json',
    'package-lock.json',
    '.npmrc',
    'scripts',
    ...workspaces.map((name) => `${name}/package.json`),
  ]
  for (const path of files) await cp(join(ROOT, path), join(folder, path), { recursive: true })
  return folder
}

export const spawnIn = (cwd: string, command: string[], env: Record<string, string>) =>
  Bun.spawn(command, { cwd, env: { HOME: cwd, ...env }, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
