import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { PlainFailure } from '../base/errors.ts'
import { randomKey } from '../base/secrets.ts'

const SHORTEST = 32

/**
 * The secret kept beside an SQLite file, made at the first start; null when there is none and none is wanted.
 * To be called while the database is locked, so that of two processes one makes it.
 */
export function secretFromFile(dataDir: string, { make }: { make: boolean }): string | null {
  const path = join(dataDir, 'secret.key')
  const kept = read(path)
  if (kept !== null || !make) return kept
  const secret = Buffer.from(randomKey()).toString('base64url')
  writeDurably(dataDir, path, `${secret}\n`)
  return secret
}

function read(path: string): string | null {
  try {
    const secret = readFileSync(path, 'utf8').trim()
    if (secret.length < SHORTEST)
      throw new PlainFailure(`${path} does not hold a secret key: restore it from a backup.`)
    return secret
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/** Whole and on the disk before the first key is wrapped with it: without it the database can never be read. */
function writeDurably(folder: string, path: string, text: string): void {
  const unfinished = `${path}.new`
  withFile(unfinished, 'w', (file) => {
    writeSync(file, text)
    fsyncSync(file)
  })
  renameSync(unfinished, path)
  withFile(folder, 'r', fsyncSync)
}

function withFile(path: string, flag: string, work: (file: number) => void): void {
  const file = openSync(path, flag, 0o600)
  try {
    work(file)
  } finally {
    closeSync(file)
  }
}
