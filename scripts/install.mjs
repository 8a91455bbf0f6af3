// A fresh clone has no node_modules, so every launcher calls ensureInstalled() first. Plain Node 20, no dependencies.
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { runChild } from './child.mjs'
import { findBun } from './find-bun.mjs'

export const root = fileURLToPath(new URL('..', import.meta.url))
const record = join(root, 'node_modules', '.package-lock.json')

/**
 * Makes node_modules match package-lock.json, and resolves to the path of Bun's binary. The server needs no development
 * packages and installs none; the first command that needs them adds them.
 */
export async function ensureInstalled({ isForServer = false } = {}) {
  return (matchesLock({ withDev: !isForServer }) && findBun(root)) || install(isForServer)
}

/** Compares npm's own record of what it has installed. */
function matchesLock({ withDev }) {
  if (!existsSync(record)) return false
  const lock = readJson(join(root, 'package-lock.json')).packages
  const installed = readJson(record).packages
  return Object.entries(lock).every(([path, want]) => {
    if (!path.includes('node_modules/')) return hasSameDependencies(want, join(root, path, 'package.json'))
    const have = installed[path]
    if (have) return have.version === want.version && have.integrity === want.integrity
    return Boolean(want.optional || (!withDev && (want.dev || want.devOptional)))
  })
}

function hasSameDependencies(locked, file) {
  const manifest = existsSync(file) ? readJson(file) : {}
  return ['dependencies', 'devDependencies'].every((kind) => isDeepStrictEqual(locked[kind], manifest[kind]))
}

async function install(isForServer) {
  // An outdated installation with development packages keeps them.
  const hasDev = existsSync(record) && Object.values(readJson(record).packages).some(({ dev }) => dev)
  // npm passes its options on as npm_config_….
  const omitsDev = process.env.NODE_ENV === 'production' || /\bdev\b/.test(process.env.npm_config_omit ?? '')
  const isProduction = isForServer && (omitsDev || !hasDev)
  // `npm ci` empties node_modules, from which a server may be running: add to an installation that lacks nothing else.
  const isAddition = !isProduction && findBun(root) !== undefined && matchesLock({ withDev: false })
  process.stderr.write(isAddition ? 'Installing development packages…\n' : 'Installing…\n')
  const command = isAddition
    ? ['install', '--no-save', '--include=dev']
    : ['ci', `--${isProduction ? 'omit' : 'include'}=dev`]
  const code = await runNpm([...command, '--loglevel=error'])
  if (code !== 0) fail(`npm ${command[0]} failed with exit code ${code}`)
  return findBun(root) ?? fail(`node_modules has no Bun binary for ${process.platform} ${process.arch}`)
}

function runNpm(args) {
  const script = process.env.npm_execpath
  const [npm, ...before] = basename(script ?? '') === 'npm-cli.js' ? [process.execPath, script] : ['npm']
  const started = runChild(npm, [...before, ...args], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  return started.catch(({ message }) => fail(`cannot start npm: ${message}. Install Node 20 or newer with npm.`))
}

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'))

function fail(message) {
  process.stderr.write(`tossup: ${message}\n`)
  process.exit(1)
}
