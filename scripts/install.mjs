// A fresh clone has no node_modules: every launcher calls ensureInstalled() first. Plain Node 20, no dependency.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { runChild } from './child.mjs'

export const root = fileURLToPath(new URL('..', import.meta.url))
const inModules = (...path) => join(root, 'node_modules', ...path)
const stamp = inModules('.tossup-stamp')

/** Makes node_modules what package-lock.json says, when it is not, and resolves to the path of Bun's binary. */
export async function ensureInstalled() {
  return current() ?? (await oneAtATime(async () => current() ?? (await install())))
}

function current() {
  const wanted = fingerprint()
  if (readText(stamp) === wanted) return findBun()
  const bun = matchesLock() ? findBun() : undefined
  if (bun) writeStamp(wanted)
  return bun
}

// Bun's own install script moves the binary out of @oven; where install scripts are blocked it is still there,
// and node_modules/bun holds a placeholder of a few bytes.
function findBun() {
  const moved = inModules('bun', 'bin', 'bun.exe')
  if ((statSync(moved, { throwIfNoEntry: false })?.size ?? 0) > 1_000_000) return moved
  const packages = existsSync(inModules('@oven')) ? readdirSync(inModules('@oven')) : []
  const paths = packages.flatMap((name) => ['bun', 'bun.exe'].map((file) => inModules('@oven', name, 'bin', file)))
  return paths.find((path) => existsSync(path))
}

function fingerprint() {
  const hash = createHash('sha256')
  for (const file of manifests()) hash.update(readText(file) ?? '').update('\0')
  return hash.digest('hex')
}

function manifests() {
  const { workspaces } = readJson(join(root, 'package.json'))
  return [join(root, 'package-lock.json'), ...['', ...workspaces].map((folder) => join(root, folder, 'package.json'))]
}

// True after a plain `npm install`, which leaves no stamp but keeps its own record of what it installed.
function matchesLock() {
  const record = inModules('.package-lock.json')
  if (!existsSync(record)) return false
  const lock = readJson(join(root, 'package-lock.json')).packages
  const installed = readJson(record).packages
  return Object.entries(lock).every(([path, want]) => {
    if (!path.includes('node_modules/')) return hasSameDependencies(want, join(root, path, 'package.json'))
    const have = installed[path]
    return have ? have.version === want.version && have.integrity === want.integrity : Boolean(want.optional)
  })
}

function hasSameDependencies(locked, file) {
  const manifest = existsSync(file) ? readJson(file) : {}
  const sorted = (list = {}) => JSON.stringify(Object.entries(list).sort())
  return ['dependencies', 'devDependencies'].every((kind) => sorted(locked[kind]) === sorted(manifest[kind]))
}

async function install() {
  process.stderr.write('Installing…\n')
  const { code, stderr } = await npm(['ci', '--include=dev', '--loglevel=error', '--no-progress'])
  if (code > 128) process.exit(code)
  if (code !== 0) fail(`npm ci failed: ${reason(stderr)} (all of it: npm ci --loglevel=error)`)
  writeStamp(fingerprint())
  return findBun() ?? fail(`no Bun binary for ${process.platform} ${process.arch} in node_modules`)
}

async function npm(args) {
  const script = process.env.npm_execpath
  const [command, ...before] = basename(script ?? '') === 'npm-cli.js' ? [process.execPath, script] : ['npm']
  const { child, exitCode } = runChild(command, [...before, ...args], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (chunk) => (stderr += chunk))
  return { code: await exitCode.catch((error) => fail(`npm did not start: ${error.message}`)), stderr }
}

// Two commands in a fresh clone: the second waits. A lock whose owner is gone, or that is very old, counts for nothing.
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
    throw error
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

function reason(stderr) {
  const lines = stderr.split('\n').map((line) => line.replace(/^npm (error|ERR!) ?/, '').trim())
  return lines.find((line) => line && !/^(code|errno|syscall|path|type) /.test(line)) ?? 'it did not say why'
}

function writeStamp(text) {
  try {
    writeFileSync(stamp, text)
  } catch {
    // A read-only checkout works too, it only looks twice each time.
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
