// Finds the test files, and chooses those that a command names.
import { readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

export const ROOT = join(import.meta.dir, '../..')

export type Speed = 'unit' | 'service' | 'proof'

/** Tests beside their source, tests of the whole service, and long ones. */
const KINDS: Readonly<Record<Speed, RegExp>> = {
  unit: /\/src\/.*\.test\.tsx?$/,
  service: /^(?!.*\/src\/).*\.test\.tsx?$/,
  proof: /\.proof\.ts$/,
}
const SPEEDS: Readonly<Record<string, readonly Speed[]>> = {
  '--unit': ['unit'],
  '--proof': ['proof'],
  '--all': ['unit', 'service', 'proof'],
}
const FLAGS_WITH_VALUE = ['-t', '--test-name-pattern', '--timeout', '--rerun-each', '--retry', '--seed']

/** Separates our own options (`--unit`, `--proof`, `--all`), file names, and flags for `bun test`. */
export function splitArguments(args: readonly string[]) {
  let speeds: readonly Speed[] = ['unit', 'service']
  const names: string[] = []
  const flags: string[] = []
  for (const [at, arg] of args.entries()) {
    if (SPEEDS[arg]) speeds = SPEEDS[arg]
    else if (arg.startsWith('-') || FLAGS_WITH_VALUE.includes(args[at - 1] ?? '')) flags.push(arg)
    else names.push(arg)
  }
  return { speeds, names, flags }
}

/** Without names, every file of these speeds; otherwise the files whose path equals or contains a name. */
export function chooseFiles(speeds: readonly Speed[], names: readonly string[] = []): string[] {
  const all = allFiles()
  const offered = speeds.flatMap((speed) => all.filter((path) => KINDS[speed].test(path)))
  // Tests whose subject is not the database run on the other engine among the proofs.
  if (speeds.join() === 'proof')
    offered.push(...chooseFiles(['unit', 'service']).filter((file) => textOf(file).includes('[...sampleEngines]')))
  if (names.length === 0) return offered
  const chosen = names.flatMap((name) => {
    const path = relative(ROOT, resolve(ROOT, name))
    const found = all.includes(path) ? [path] : offered.filter((file) => file.includes(name))
    if (found.length === 0) {
      process.stderr.write(`no test file is called ${name}\n`)
      process.exit(1)
    }
    return found
  })
  return [...new Set(chosen)]
}

const allFiles = (): string[] =>
  [...new Bun.Glob('{bench,console,embed,sdk,server}/**/*.{test,proof}.{ts,tsx}').scanSync(ROOT)]
    .filter((path) => !/(?:^|\/)(?:node_modules|dist)\//.test(path))
    .sort()

export const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

export const isProof = (file: string): boolean => KINDS.proof.test(file)

/** The engine of the tests whose subject is not the database, in a run of these speeds: undefined means both. */
export const sampleEngineOf = (speeds: readonly Speed[]): string | undefined =>
  ({ 'unit,service': 'sqlite', proof: 'postgres' })[speeds.join()]

/**
 * The part of a file that services change, if it has passed without them: nothing, the tests on PostgreSQL, or all of them where
 * it names the engines in several places, as a test of both does.
 */
export function anewWithServices(file: string): 'nothing' | 'postgres' | 'all' {
  const text = textOf(file)
  if (!text.includes("engines.ts'")) return 'nothing'
  // The import is one of the two.
  return text.match(/\b\w*engines\w*\b(?!\.ts)/gi)?.length === 2 ? 'postgres' : 'all'
}

/** `alone` or `in a process of its own` where a file says so, with its reason, in a comment such as `// Runs alone: …`. */
export const placeOf = (file: string): string =>
  /^\/\/ Runs (alone|in a process of its own): /m.exec(textOf(file))?.[1] ?? 'together'
