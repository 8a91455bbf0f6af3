import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { root } from './install.mjs'

/**
 * Migrated databases that test services copy instead of migrating one each: `sqlite`, the folder, and `name`, a PostgreSQL
 * database with the `fingerprint` of its schema. Without PostgreSQL, whose tests say so themselves, `name` is null. That database is dropped when `end` is called, which
 * tells how many connections were used, or when this process ends.
 */
export async function openTemplate(bun, folder) {
  const args = ['--no-env-file', '--no-install', '--no-orphans', 'server/test/template-database.ts', folder]
  // In a group of its own, so that Ctrl+C does not end it before it has dropped the database.
  const child = spawn(bun, args, { cwd: root, detached: true, stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => child.on('close', resolve))
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const next = async () => {
    const { value } = await lines.next()
    return value === undefined ? null : JSON.parse(value)
  }
  const { sqlite } = (await next()) ?? {}
  const { name = null, fingerprint = '', room = 0 } = (await next()) ?? {}
  return {
    sqlite,
    name,
    fingerprint,
    room,
    /** Resolves to `ConnectionUse`, and to null without PostgreSQL. */
    async end() {
      child.stdin.end()
      const use = await next()
      await ended
      return use
    },
  }
}
