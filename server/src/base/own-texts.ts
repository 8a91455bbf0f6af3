// A build calls each function of this file once and keeps its result: see server/tools/build/frozen-modules.ts.
import { existsSync, readdirSync, readFileSync } from 'node:fs'

const SERVER = new URL('../../', import.meta.url)

/** The document of /openapi.json. */
export const openApiText = (): string => readFileSync(new URL('openapi.json', SERVER), 'utf8')

let migrations: Readonly<Record<string, string>> | null = null

/** The migrations, by their paths in server/migrations. */
export function migrationTexts(): Readonly<Record<string, string>> {
  migrations ??= readMigrations()
  return migrations
}

function readMigrations(): Readonly<Record<string, string>> {
  const folder = new URL('migrations/', SERVER)
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.sql'))
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]))
}

/** The commit of the checkout; null without one, or without git. */
export function commitId(): string | null {
  const root = new URL('..', SERVER).pathname
  if (!existsSync(`${root}.git`) || Bun.which('git') === null) return null
  const { stdout, success } = Bun.spawnSync(['git', '-C', root, 'rev-parse', '--short=12', 'HEAD'])
  return success ? stdout.toString().trim() : null
}
