import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Defined by a build, in which all modules are one file. */
declare const TOSSUP_IS_BUNDLED: true

/** The first argument of a build that runs a part of itself: see server/tools/build/bundled-main.ts. */
export const RUN_PART = '--run-part'
const FLAGS = ['--no-env-file', '--no-install']
const isBundled = typeof TOSSUP_IS_BUNDLED !== 'undefined'

/**
 * The command that runs a module of Tossup in a process of its own. In a checkout that is Bun with the file. A build has no
 * such file, and the one-file build has no Bun beside it either: both run themselves and name the part.
 */
export function ownCommand(module: URL, words: readonly string[] = []): string[] {
  if (!isBundled) return [process.execPath, ...FLAGS, fileURLToPath(module), ...words]
  const own = Bun.isStandaloneExecutable ? [process.execPath] : [process.execPath, ...FLAGS, Bun.main]
  return [...own, RUN_PART, basename(module.pathname), ...words]
}
