import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomKey } from '../base/secrets.ts'

/** The secret kept beside an SQLite file, made at the first start; null when there is none and none is wanted. */
export function secretFromFile(dataDir: string, { make }: { make: boolean }): string | null {
  const path = join(dataDir, 'secret.key')
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  if (!make) return null
  mkdirSync(dataDir, { recursive: true })
  const secret = Buffer.from(randomKey()).toString('base64url')
  try {
    writeFileSync(path, `${secret}\n`, { mode: 0o600, flag: 'wx' })
    return secret
  } catch (error) {
    // Another process made it in the same moment: there must be one secret only.
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return secretFromFile(dataDir, { make })
    throw error
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'
