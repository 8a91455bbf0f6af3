// A fresh clone has no node_modules, so every launcher calls ensureInstalled() first. Plain Node 20, no dependencies.
import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findBun as findBunFrom } from './find-bun.mjs'
import { runNpm } from './run-npm.mjs'

export const root = fileURLToPath(new URL('..', import.meta.url))
const inModules = (...path) => join(root, 'node_modules', ...path)
const stamp = inModules('.tossup-stamp')

// Read before a launcher sets its own default. npm passes its options on as npm_config_….
const omitsDev = process.env.NODE_ENV === 'production' || /\bdev\b/.test(process.env.npm_config_omit ?? '')

/**
 * Makes node_modules match package-lock.json, and resolves to the path of Bun's binary. The server needs no development
 * packages and installs none; the first command that needs them adds them.
 */
export async function ensureInstalled({ isForServer = false } = {}) {
  const ready = current(isForServer)
  if (ready) return ready
  refuseReadOnly()
  return oneAtATime(async () => current(isForServer) ?? (await install(isForServer)))
}

const findBun = () => findBunFrom(root)

function current(isForServer) {
  const wanted = fingerprint()
  const stamped = readText(stamp)
  if (stamped === whole(wanted) || (isForServer && stamped === productionOnly(wanted))) return findBun()
  const isWhole = matchesLock({ withDev: true })
  const isEnough = isWhole || (isForServer && matchesLock({ withDev: false }))
  const bun = isEnough ? findBun() : undefined
  if (bun) writeStamp(isWhole ? whole(wanted) : productionOnly(wanted))
  return bun
}

const whole = (print) => print
const productionOnly = (print) => `${print} without development packages`

function fingerprint() {
  const hash = createHash('sha256')
  for (const file of manifests()) hash.update(readText(file) ?? '').update('\0')
  return hash.digest('hex')
}

function manifests() {
  const { workspaces } = readJson(join(root, 'package.json'))
  return [join(root, 'package-lock.json'), ...['', ...workspaces].map((folder) => join(root, folder, 'package.json'))]
}

// True after a plain `npm install`, which writes no stamp but keeps npm's own record of what it installed.
function matchesLock({ withDev }) {
  const record = inModules('.package-lock.json')
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
  const sorted = (list = {}) => JSON.stringify(Object.entries(list).sort())
  return ['dependencies', 'devDependencies'].every((kind) => sorted(locked[kind]) === sorted(manifest[kind]))
}

async function install(isForServer) {
  // An outdated installation with development packages keeps them.
  const isProduction = isForServer && (omitsDev || !hasDevelopmentPackages())
  // `npm ci` empties node_modules, from which a server may be running: add to an installation that lacks nothing else.
  const isAddition = !isProduction && findBun() !== undefined && matchesLock({ withDev: false })
  process.stderr.write(isAddition ? 'Installing development packages…\n' : 'Installing…\n')
  const command = isAddition
    ? ['install', '--no-save', '--include=dev']
    : ['ci', `--${isProduction ? 'omit' : 'include'}=dev`]
  const { code, isSignal, reason } = await runNpm(root, command).catch((error) => fail(cannotStart(error)))
  if (isSignal) process.exit(code)
  if (code !== 0) {
    fail(`npm ${command[0]} failed: ${reason} (for the full output run: npm ${command.join(' ')} --loglevel=error)`)
  }
  writeStamp(isProduction ? productionOnly(fingerprint()) : whole(fingerprint()))
  return findBun() ?? fail(`node_modules has no Bun binary for ${process.platform} ${process.arch}`)
}

function hasDevelopmentPackages() {
  const record = inModules('.package-lock.json')
  return existsSync(record) && Object.values(readJson(record).packages).some(({ dev }) => dev)
}

const cannotStart = ({ code, message }) =>
  code === 'ENOENT'
    ? 'cannot start npm: it is not on PATH. Install Node 20 or newer with npm.'
    : `cannot start npm: ${message}`

// npm would say this only after it has downloaded everything, or not at all.
function refuseReadOnly() {
  const folders = [root, inModules()].filter((folder) => existsSync(folder))
  for (const folder of folders) {
    try {
      accessSync(folder, constants.W_OK)
    } catch ({ code }) {
      fail(
        `packages have to be installed, but ${folder} cannot be written (${code}). Run npm ci there as a user who may write, or start from a copy.`,
      )
    }
  }
}

// If two commands start in a fresh clone, the second waits. A lock that is very old, or whose owner is gone, is ignored.
async function oneAtATime(work) {
  const lock = join(tmpdir(), `tossup-install-${createHash('sha256').update(root).digest('hex').slice(0, 16)}`)
  while (!take(lock)) {
    if (isHeld(lock)) await setTimeout(200)
    else rmSync(lock, { force: true })
  }
  process.once('exit', () => rmSync(lock, { force: true }))
  const result = await work()
  rmSync(lock, { force: true })
  return result
}

function take(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    return fail(`cannot write ${lock}, which keeps two installations apart: ${error.code}`)
  }
}

function isHeld(lock) {
  const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0)
  try {
    return age < 600_000 && process.kill(Number(readText(lock)), 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function writeStamp(text) {
  try {
    writeFileSync(stamp, text)
  } catch {
    // In a read-only checkout the stamp cannot be written, so each command checks twice.
  }
}

function readText(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'))
}

function fail(message) {
  process.stderr.write(`tossup: ${message}\n`)
  process.exit(1)
}
