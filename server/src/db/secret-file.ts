import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorCodeOf, PlainFailure } from '../base/errors.ts'
import { syncPath } from '../base/machine.ts'
import { randomKey } from '../base/secrets.ts'

const SHORTEST = 32
const SECRET_FILE = 'secret.key'
/** Kubernetes lets the group of a volume read its files, and nobody else is in that group. */
const OF_OTHERS = 0o007

/**
 * The secret beside an SQLite file, created at the first start; null if there is none and `make` is false.
 * Call it while the database is locked, so that only one process creates the secret.
 */
export function secretFromFile(dataDir: string, { make }: { make: boolean }): string | null {
  const path = join(dataDir, SECRET_FILE)
  const kept = read(path)
  if (kept !== null || !make) return kept
  const secret = Buffer.from(randomKey()).toString('base64url')
  writeDurably(dataDir, path, `${secret}\n`)
  return secret
}

/** The path and the mode of the secret, if users who are neither its owner nor of its group can read it. */
export function openSecret(dataDir: string): { path: string; mode: string } | null {
  const path = join(dataDir, SECRET_FILE)
  const file = statSync(path, { throwIfNoEntry: false })
  if (!file?.isFile() || (file.mode & OF_OTHERS) === 0) return null
  return { path, mode: (file.mode & 0o777).toString(8) }
}

function read(path: string): string | null {
  try {
    const secret = readFileSync(path, 'utf8').trim()
    if (secret.length < SHORTEST)
      throw new PlainFailure(`${path} does not contain a secret key. Restore the file from a backup.`)
    return secret
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return null
    throw error
  }
}

/** Must be durable before the first key is wrapped with the secret: without it the data keys can never be read. */
function writeDurably(folder: string, path: string, text: string): void {
  const unfinished = `${path}.new`
  writeFileSync(unfinished, text, { mode: 0o600 })
  syncPath(unfinished)
  renameSync(unfinished, path)
  syncPath(folder)
}
