import { spawn } from 'node:child_process'
import { root } from './install.mjs'

/**
 * A migrated PostgreSQL database that test services copy instead of migrating one each. Resolves to its name, and to null
 * without PostgreSQL, whose tests say so themselves. It is dropped when `end` is called, or when this process ends.
 */
export async function openTemplate(bun) {
  const args = ['--no-env-file', '--no-install', '--no-orphans', 'server/test/template-database.ts']
  // In a group of its own, so that Ctrl+C does not end it before it has dropped the database.
  const child = spawn(bun, args, { cwd: root, detached: true, stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => child.on('close', resolve))
  const name = await Promise.race([firstLine(child.stdout), ended.then(() => null)])
  return {
    name,
    end() {
      child.stdin.end()
      return ended
    },
  }
}

async function firstLine(stream) {
  for await (const text of stream.setEncoding('utf8')) return text.trim()
  return null
}
