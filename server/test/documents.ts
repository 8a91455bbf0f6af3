import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dir, '../..')

const inFolder = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && !file.includes('node_modules'))
    .map((file) => join(folder, file))

/** Recipes, beside what they touch. */
export const RECIPES: readonly string[] = [
  ...inFolder('server/src'),
  ...inFolder('server/migrations'),
  ...inFolder('console/src'),
]

const atTop = readdirSync(ROOT).filter((file) => file.endsWith('.md'))

export const GUIDES: readonly string[] = inFolder('docs/guides').sort()

/** Every text for people in the repository, by its path. */
export const DOCUMENTS: readonly string[] = [
  ...atTop,
  ...inFolder('docs'),
  ...inFolder('examples'),
  ...inFolder('integrations'),
  ...RECIPES,
  'bench/RESULTS.md',
  'sdk/README.md',
].sort()

export const readDocument = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
